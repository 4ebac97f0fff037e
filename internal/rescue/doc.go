// Package rescue counts what a sweep, a repeat or a timer has found that should have
// gone by itself.
//
// Such nets stay, because a fault that nobody knows of is better mended late than
// never. But a net that holds hides the fault above it: a job that ends after the
// 30 s of a sweep has ended in every test that only asks whether it did. So each
// net tells this package when it has caught something. It is counted as
// mom_rescued_total{by}, warned of with what and since when, and the simulator,
// chaos and make scale fail when anything was.
package rescue
