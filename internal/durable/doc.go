// Package durable writes files whole, and makes what is written survive a power failure. Concurrent
// callers of a [Syncer] share one sync.
package durable
