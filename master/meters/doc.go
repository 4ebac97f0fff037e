// Package meters turns what the parts of a master know into its figures for
// Prometheus (docs/reference/metrics.md says what each means).
//
// Nothing here is asked before somebody scrapes: [Sources] read the parts through
// narrow interfaces at that moment. [Counters] and [Commands] count as the master
// works, by single atomic operations. [Jobs] counts jobs and returns by function
// from the event bus, beside the master's work and only while it runs; the names
// of functions are the users', so they are bounded.
package meters
