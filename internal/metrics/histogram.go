package metrics

import (
	"sync"
)

// Histogram counts values by upper bounds.
type Histogram struct {
	bounds []float64

	mu     sync.Mutex
	counts []uint64
	count  uint64
	sum    float64
}

// NewHistogram returns a Histogram with ascending upper bounds.
func NewHistogram(bounds ...float64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds))}
}

// Add counts a value.
func (h *Histogram) Add(v float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count++
	h.sum += v
	for i, b := range h.bounds {
		if v <= b {
			h.counts[i]++
		}
	}
}

func (h *Histogram) read() (count uint64, sum float64, buckets map[float64]uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	buckets = make(map[float64]uint64, len(h.bounds))
	for i, b := range h.bounds {
		buckets[b] = h.counts[i]
	}
	return h.count, h.sum, buckets
}
