//go:build slow

package power

// pointsByDefault is at how many points TestPower cuts the power in `make slow`.
const pointsByDefault = 300
