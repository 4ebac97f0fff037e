//go:build !race

package momtest

// buildFlags: the program is built as the tests are.
var buildFlags []string
