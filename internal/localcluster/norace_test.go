//go:build figures

package localcluster_test

// buildFlags are those of a release, which is what is measured.
var buildFlags []string
