// Package waiting lets tests wait for what other goroutines and processes do: as short as
// it takes, never without a bound, and with a word of what did not come.
package waiting
