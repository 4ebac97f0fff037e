package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// WAN describes the links between the tops and the nodes right below them, each node being the
// entrance to a region. The zero value makes these links like all others.
type WAN struct {
	// Delay is the one-way latency. Default: Edge.
	Delay Dist
	// Loss is the share of packets that are lost. TCP sends them again: their message, and all
	// after it, arrive late.
	Loss float64
	// Rate is the bandwidth of a link in each direction, in bytes per second. 0: no bound.
	Rate int64
	// Lost is how many regions are cut off from all tops at once, from At on for For.
	Lost    int
	At, For time.Duration
}

const (
	// packet is the payload of one packet of a WAN.
	packet = 1400
	// resendAfter is how long TCP waits for the acknowledgement of a packet at least. It doubles with
	// each further loss, mostResends times at most.
	resendAfter = 200 * time.Millisecond
	mostResends = 8
)

func (v WAN) validate(s Shape) error {
	if v.Loss < 0 || v.Loss > 0.5 {
		return fmt.Errorf("simulate: loss on the WAN is %v, must be from 0 to 0.5", v.Loss)
	}
	if v.Rate < 0 || v.Lost < 0 || v.At < 0 || v.For < 0 {
		return fmt.Errorf("simulate: bandwidth, lost regions and their times must not be negative")
	}
	if n := s.regions(); v.Lost > n {
		return fmt.Errorf("simulate: %d regions are lost, and there are %d", v.Lost, n)
	}
	if v.Lost > 0 && v.For == 0 {
		return fmt.Errorf("simulate: a lost region needs the time until it is back")
	}
	return nil
}

// road is the WAN between a top and a region.
type road struct {
	WAN
	rng  *rand.Rand
	free [2]int64 // when the last byte under way has left, per direction
}

// newRoad returns the WAN of the link, or nil for a link inside a region.
func (w *World) newRoad(parent *node) *road {
	v := w.o.WAN
	if len(parent.ups) > 0 || v.Delay == (Dist{}) && v.Loss == 0 && v.Rate == 0 {
		return nil
	}
	if v.Delay == (Dist{}) {
		v.Delay = w.o.Edge
	}
	return &road{WAN: v, rng: w.o.stream(0x77616e + uint64(len(w.links))<<32)}
}

// delay returns the time until a message that leaves at now has arrived.
func (r *road) delay(dir direction, now, bytes int64) int64 {
	left := now
	if r.Rate > 0 {
		left = max(now, r.free[dir]) + int64(float64(bytes)/float64(r.Rate)*1e9)
		r.free[dir] = left
	}
	d := left - now + r.Delay.draw(r.rng)
	if r.Loss == 0 {
		return d
	}
	packets := float64((bytes + packet - 1) / packet)
	wait := int64(resendAfter) + 2*int64(r.Delay.Min)
	for range mostResends {
		if r.rng.Float64() >= 1-math.Pow(1-r.Loss, packets) {
			break
		}
		d += wait
		wait, packets = 2*wait, 1
	}
	return d
}

// planRegions cuts off the lost regions: the last nodes right below the tops.
func (w *World) planRegions() {
	v := w.o.WAN
	if v.Lost == 0 {
		return
	}
	var regions []*node
	for _, n := range w.nodes {
		if n.isRegion() {
			regions = append(regions, n)
		}
	}
	for _, n := range regions[len(regions)-v.Lost:] {
		for _, l := range n.ups {
			w.cutLink(l, int64(v.At), int64(v.For), true, true)
		}
	}
}

// isRegion reports whether the node is right below the tops.
func (n *node) isRegion() bool { return len(n.ups) > 0 && len(n.ups[0].parent.ups) == 0 }
