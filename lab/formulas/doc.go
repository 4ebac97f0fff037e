// Package formulas compares what this project's minion and Salt's make of public formulas: each
// SLS file is compiled by state.show_sls, or run by state.apply test=True, with both. The
// formulas are no part of this repository; whoever runs the comparison fetches them.
package formulas
