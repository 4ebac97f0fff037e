// Package durable makes written data survive a power failure. Concurrent callers share one
// sync.
package durable
