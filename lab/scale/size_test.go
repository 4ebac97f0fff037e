//go:build !slow

package scale

// Sizes of the tests in `make test`.
const (
	stockShape    = "500" // of TestScale_Stock
	absentMinions = 2_000
)
