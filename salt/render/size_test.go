//go:build !slow

package render

import "time"

// Sizes of the tests in `make test`.
const (
	HostileTemplates = 60 // of TestHostileTemplates
	HostileDeadline  = 200 * time.Millisecond
	chargedShare     = 3 // TestEverythingIsCharged tries one of so many inputs, the same ones each time
)
