package chart

import (
	"math"
	"strconv"
)

// scale maps values between two powers of its base to pixels.
type scale struct {
	base      float64
	low, high int // exponents
	from, to  float64
}

func newScale(a Axis, low, high, from, to float64) scale {
	s := scale{base: 10, from: from, to: to}
	if a.Bytes {
		s.base = 32 // two steps make 1024
	}
	log := func(v float64) float64 { return math.Log(v) / math.Log(s.base) }
	s.low, s.high = int(math.Floor(log(low)+1e-9)), int(math.Ceil(log(high)-1e-9))
	if s.high == s.low {
		s.high++
	}
	return s
}

func (s scale) at(v float64) float64 {
	share := (math.Log(v)/math.Log(s.base) - float64(s.low)) / float64(s.high-s.low)
	return s.from + share*(s.to-s.from)
}

// ticks returns the values with a label.
func (s scale) ticks() []float64 {
	var out []float64
	for e := s.low; e <= s.high; e++ {
		out = append(out, math.Pow(s.base, float64(e)))
	}
	return out
}

// minor returns the values between the ticks that have a line and no label.
func (s scale) minor() []float64 {
	var out []float64
	if s.base != 10 {
		return nil
	}
	for e := s.low; e < s.high; e++ {
		for k := 2; k < 10; k++ {
			out = append(out, float64(k)*math.Pow(10, float64(e)))
		}
	}
	return out
}

// label writes a tick.
func (a Axis) label(v float64) string {
	if a.Bytes {
		return scaled(v, 1024, "B", "KiB", "MiB", "GiB", "TiB")
	}
	if v < 1000 {
		return number(v)
	}
	return scaled(v, 1000, "", "k", "M", "G")
}

func scaled(v, step float64, units ...string) string {
	i := 0
	for ; v >= step*(1-1e-9) && i < len(units)-1; i++ {
		v /= step
	}
	if units[i] == "" {
		return number(v)
	}
	return number(v) + " " + units[i]
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// title writes the name of the axis with its unit.
func (a Axis) title() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + ", " + a.Unit
}
