package swarm

import (
	"math"
	"time"
)

// histogram counts times in buckets that grow by about 4 %, from 10 µs to days. The
// zero value is empty.
type histogram struct {
	n      int
	most   time.Duration
	counts []uint32
}

const (
	histogramLeast = 10 * time.Microsecond
	histogramSteps = 17 // in an octave
)

func (h *histogram) add(d time.Duration) {
	i := 0
	if d > histogramLeast {
		i = int(math.Log2(float64(d)/float64(histogramLeast)) * histogramSteps)
	}
	for len(h.counts) <= i {
		h.counts = append(h.counts, 0)
	}
	h.counts[i]++
	h.n++
	h.most = max(h.most, d)
}

// quantile is the time that a share of all took at most; 0 of none.
func (h *histogram) quantile(share float64) time.Duration {
	left := int(math.Ceil(share * float64(h.n)))
	for i, c := range h.counts {
		if left -= int(c); left <= 0 && h.n > 0 {
			upper := float64(histogramLeast) * math.Exp2(float64(i+1)/histogramSteps)
			return min(time.Duration(upper), h.most)
		}
	}
	return h.most
}
