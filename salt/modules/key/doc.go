// Package key is the execution module key: the fingerprints of this minion's key and its master's.
package key
