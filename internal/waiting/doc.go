// Package waiting lets tests wait for other goroutines and processes: as briefly as possible,
// never without a bound, and with a message about what did not happen.
package waiting
