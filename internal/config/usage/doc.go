// Package usage finds the options of package config that the program reads. It uses the types
// of the source, not names: a field Timeout of another struct does not count, and neither does
// a field that is only written.
package usage
