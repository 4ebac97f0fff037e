//go:build slow

package zmtp

// herd is how many peers come at the same moment in tests of `make slow`.
const herd = 2000
