//go:build !figures

package localcluster_test

// buildFlags makes a race in any daemon appear in its console log.
var buildFlags = []string{"-race"}
