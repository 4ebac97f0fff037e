// Package lru makes maps that remember a bounded number of keys and forget the
// oldest: golang-lru, without an error for a size that cannot be wrong. Peek and
// Contains leave a key as old as it is, ContainsOrAdd and PeekOrAdd too where it is
// known; Get and Add make it the youngest.
package lru
