//go:build slow

package strangers

// Sizes of the tests in `make slow`.
const (
	rounds = 4  // of bodies in TestMemory
	tries  = 60 // right logins in TestLogins
)
