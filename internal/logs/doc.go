// Package logs suppresses repeated log lines ([Throttle]) and counts rescues ([Rescues]).
//
// A rescue is work that a sweep, a repeat or a timer found and that should have been done without
// it. Sweeps stay, because a late repair is better than none. But a sweep that works hides the
// fault above it: a job that ends after the 30 s of a sweep has ended in every test that only asks
// whether it did. So each sweep reports what it finds. The count is the metric
// mom_rescued_total{by}, a warning says what was found and how long it waited, and the simulator,
// chaos and make scale fail if there was any.
package logs
