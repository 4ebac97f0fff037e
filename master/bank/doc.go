// Package bank keeps values that runners store by name, in banks, as Salt's cache.store
// does: each in a file below cachedir, bounded in number and size.
package bank
