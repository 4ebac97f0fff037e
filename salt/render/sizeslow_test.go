//go:build slow

package render

import "time"

// Sizes of the tests in `make slow`.
const (
	HostileTemplates = 400 // of TestHostileTemplates
	HostileDeadline  = 500 * time.Millisecond
	chargedShare     = 1 // TestEverythingIsCharged tries every input
)
