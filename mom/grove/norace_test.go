//go:build figures

package grove_test

// buildFlags: what is measured is what is shipped.
var buildFlags []string
