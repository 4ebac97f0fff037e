//go:build !figures

package localcluster_test

// buildFlags makes a race in any daemon appear in its console log. They are those of .ci/test.
var buildFlags = []string{"-race", "-gcflags=modernc.org/sqlite/lib=-race=false"}
