//go:build figures

package localcluster_test

// buildFlags: what is measured is what is shipped.
var buildFlags []string
