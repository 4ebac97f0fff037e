package chart

import (
	"errors"
	"fmt"
	"math"
)

// Chart is a line chart. Both axes are logarithmic.
type Chart struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis describes what an axis shows.
type Axis struct {
	Name string
	Unit string // of the name: "" for a number of things
	// Bytes labels the axis with KiB, MiB and so on.
	Bytes bool
}

// Series is one line. All values must be above 0.
type Series struct {
	Name   string
	Points []Point
	Dashed bool
}

// Point is one point of a line.
type Point struct{ X, Y float64 }

// maxSeries is the number of lines that differ in color and mark.
const maxSeries = 6

func (c Chart) validate() error {
	if len(c.Series) == 0 {
		return errors.New("draw a chart: no series")
	}
	if len(c.Series) > maxSeries {
		return fmt.Errorf("draw chart %q: %d series, at most %d", c.Title, len(c.Series), maxSeries)
	}
	for _, s := range c.Series {
		if len(s.Points) == 0 {
			return fmt.Errorf("draw chart %q: series %q has no points", c.Title, s.Name)
		}
		for _, p := range s.Points {
			if !(p.X > 0 && p.Y > 0) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0) {
				return fmt.Errorf("draw chart %q: series %q has the point %v, %v; a logarithmic axis needs values above 0", c.Title, s.Name, p.X, p.Y)
			}
		}
	}
	return nil
}

// bounds returns the smallest and the largest value on each axis.
func (c Chart) bounds() (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{}
	for _, s := range c.Series {
		for _, p := range s.Points {
			low.X, low.Y = min(low.X, p.X), min(low.Y, p.Y)
			high.X, high.Y = max(high.X, p.X), max(high.Y, p.Y)
		}
	}
	return low, high
}
