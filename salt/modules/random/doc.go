// Package random is the execution module random, whose seeded functions give Python's numbers.
package random
