//go:build race

package render

// slower is how much more time and memory code takes under the race detector.
const slower = 16
