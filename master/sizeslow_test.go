//go:build slow

package master

// Sizes of the tests in `make slow`.
const (
	pausedReturns = 20_000  // of TestCommandThatPausesMissesNoReturn
	pausedBytes   = 2_000   // of each of them
	bombValues    = 1 << 20 // of TestBombs_OfStrangers
	halfOpen      = 2000    // connections in TestStrangers
	brokenTimes   = 4       // that TestCVE2023_20897 sends each packet
)
