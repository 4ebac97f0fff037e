// Package lru provides maps that hold a bounded number of keys and forget the least recently
// used: golang-lru, without the error for an invalid size. Get and Add mark a key as used. Peek
// and Contains do not, and neither do ContainsOrAdd and PeekOrAdd for a known key.
package lru
