//go:build slow

package scale

// Sizes of the tests in `make slow`.
const (
	stockShape    = "2k" // of TestScale_Stock
	absentMinions = 10_000
)
