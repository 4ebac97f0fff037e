//go:build race

package render

// slower is the factor for time and memory under the race detector.
const slower = 16
