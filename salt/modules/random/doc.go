// Package random is the execution module random. With a seed, its functions return Python's
// numbers.
package random
