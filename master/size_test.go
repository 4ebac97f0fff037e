//go:build !slow

package master

// Sizes of the tests in `make test`.
const (
	pausedReturns = 2_500   // of TestCommandThatPausesMissesNoReturn
	pausedBytes   = 20_000  // of each of them
	bombValues    = 1 << 18 // of TestBombs_OfStrangers
	halfOpen      = 600     // connections in TestStrangers
	brokenTimes   = 1       // that TestCVE2023_20897 sends each packet
)
