//go:build !figures

package localcluster_test

// buildFlags: a race in any daemon shows in its console.
var buildFlags = []string{"-race"}
