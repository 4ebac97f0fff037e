package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Dist is the distribution of a duration: uniform from Min to Max or, if Exp is set, Min plus an
// exponentially distributed time with mean Exp, cut off at 20 times Exp.
type Dist struct{ Min, Max, Exp time.Duration }

// ParseDist reads "5ms", "1ms..20ms" or "1ms+exp:10ms".
func ParseDist(s string) (Dist, error) {
	bad := func(err error) (Dist, error) {
		return Dist{}, fmt.Errorf("%q is not a time such as 5ms, 1ms..20ms or 1ms+exp:10ms: %w", s, err)
	}
	if low, mean, ok := strings.Cut(s, "+exp:"); ok {
		a, err := positive(low)
		if err != nil {
			return bad(err)
		}
		b, err := positive(mean)
		if err != nil {
			return bad(err)
		}
		return Dist{Min: a, Exp: b}, nil
	}
	low, high, ok := strings.Cut(s, "..")
	if !ok {
		high = low
	}
	a, err := positive(low)
	if err != nil {
		return bad(err)
	}
	b, err := positive(high)
	if err != nil {
		return bad(err)
	}
	if b < a {
		return bad(fmt.Errorf("%s is before %s", high, low))
	}
	return Dist{Min: a, Max: b}, nil
}

func positive(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil && (d < 0 || d > 30*24*time.Hour) {
		err = fmt.Errorf("%s is below zero or above 30 days", s)
	}
	return d, err
}

func (d Dist) draw(r *rand.Rand) int64 {
	if d.Exp > 0 {
		return int64(d.Min) + min(int64(r.ExpFloat64()*float64(d.Exp)), 20*int64(d.Exp))
	}
	if d.Max <= d.Min {
		return int64(d.Min)
	}
	return int64(d.Min) + r.Int64N(int64(d.Max-d.Min)+1)
}
