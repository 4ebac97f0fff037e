//go:build !slow

package strangers

// Sizes of the tests in `make test`.
const (
	rounds = 1  // of bodies in TestMemory
	tries  = 20 // right logins in TestLogins
)
