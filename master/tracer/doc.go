// Package tracer finds out where a job is, for package trace.
//
// A [Book] keeps the moments of a node's latest jobs in memory; the rest of a step is read
// by a [Finder] when somebody asks. A book is bounded, and noting a return costs the same
// however many jobs, minions or nodes there are.
package tracer
