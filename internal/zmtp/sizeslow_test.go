//go:build slow

package zmtp

// herd is the number of peers that connect at the same moment in `make slow`.
const herd = 2000
