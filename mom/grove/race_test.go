//go:build !figures

package grove_test

// buildFlags: a race in any daemon shows in its console.
var buildFlags = []string{"-race"}
