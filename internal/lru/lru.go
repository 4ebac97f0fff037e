package lru

import (
	"math"

	hashi "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Map is an LRU map that is safe for concurrent use.
type Map[K comparable, V any] = hashi.Cache[K, V]

// Guarded is a [Map] without a lock, for callers with their own.
type Guarded[K comparable, V any] = simplelru.LRU[K, V]

// New returns a Map that holds size keys, at least one.
func New[K comparable, V any](size int) *Map[K, V] {
	m, err := hashi.New[K, V](max(size, 1))
	if err != nil {
		panic("lru: " + err.Error()) // only an invalid size fails
	}
	return m
}

// NewGuarded returns a Guarded that holds size keys, at least one. gone is called with each
// entry that is forgotten or removed; it may be nil.
func NewGuarded[K comparable, V any](size int, gone func(K, V)) *Guarded[K, V] {
	m, err := simplelru.NewLRU(max(size, 1), gone)
	if err != nil {
		panic("lru: " + err.Error()) // only an invalid size fails
	}
	return m
}

// Unbounded is the size of a map that is bounded elsewhere and only keeps the order.
const Unbounded = math.MaxInt
