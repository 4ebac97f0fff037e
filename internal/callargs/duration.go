package callargs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxDuration is a year; longer durations are probably mistakes.
const maxDuration = 365 * 24 * time.Hour

// Duration parses a duration: a number of seconds, a number with a unit (s, m, h, d), or
// several of these (1d12h). It must be positive and at most a year.
func Duration(text string) (time.Duration, error) {
	bad := fmt.Errorf("%q is no length of time such as 90s, 30m, 2h or 7d, up to a year", text)
	rest, days := strings.TrimSpace(text), 0.0
	if head, tail, ok := strings.Cut(rest, "d"); ok {
		n, err := strconv.ParseFloat(head, 64)
		if err != nil || !(n >= 0 && n <= 366) {
			return 0, bad
		}
		days, rest = n, tail
	}
	d := time.Duration(days * float64(24*time.Hour))
	if n, err := strconv.ParseFloat(rest, 64); err == nil && days == 0 {
		if !(n > 0 && n <= maxDuration.Seconds()) {
			return 0, bad
		}
		d = time.Duration(n * float64(time.Second))
	} else if rest != "" {
		more, err := time.ParseDuration(rest)
		if err != nil || more < 0 || more > maxDuration {
			return 0, bad
		}
		d += more
	}
	if d <= 0 || d > maxDuration {
		return 0, bad
	}
	return d, nil
}
