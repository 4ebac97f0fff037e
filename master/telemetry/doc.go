// Package telemetry exports the metrics of a master to Prometheus; docs/reference/metrics.md describes
// each.
//
// [Sources] read the parts of the master through narrow interfaces when Prometheus scrapes.
// [Counters] and [Commands] count during the work, with single atomic operations. [Jobs] counts
// jobs and returns by function from the event bus, in a separate goroutine and only while it runs.
// Users choose the names of functions, so their number is limited.
package telemetry
