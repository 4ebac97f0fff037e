//go:build race

package momtest

// buildFlags: a race in a daemon shows in its console.
var buildFlags = []string{"-race"}
