package lru

import (
	"math"

	hashi "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Map is safe for concurrent use.
type Map[K comparable, V any] = hashi.Cache[K, V]

// Guarded is a [Map] for those who hold a lock of their own around it.
type Guarded[K comparable, V any] = simplelru.LRU[K, V]

// New remembers size keys, at least one.
func New[K comparable, V any](size int) *Map[K, V] {
	m, err := hashi.New[K, V](max(size, 1))
	if err != nil {
		panic("lru: " + err.Error()) // of the size alone
	}
	return m
}

// NewGuarded remembers size keys, at least one. gone is told what is forgotten or
// removed; nil tells nobody.
func NewGuarded[K comparable, V any](size int, gone func(K, V)) *Guarded[K, V] {
	m, err := simplelru.NewLRU(max(size, 1), gone)
	if err != nil {
		panic("lru: " + err.Error()) // of the size alone
	}
	return m
}

// Unbounded is the size of a map whose bound is elsewhere: it keeps the order alone.
const Unbounded = math.MaxInt
