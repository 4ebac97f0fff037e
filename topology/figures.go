package topology

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// figures returns the known vitals of a node as text.
func figures(v Vitals) string {
	var out []string
	add := func(known bool, format string, args ...any) {
		if known {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(v.Accepted > 0 || v.Connected > 0, "%d/%d connected", v.Connected, v.Accepted)
	add(v.Working > 0, "%d at work", v.Working)
	add(v.Jobs > 0, "%s", count(v.Jobs, "job"))
	if v.Pending > 0 {
		add(v.PendingAge <= 0, "%s pending", count(v.Pending, "row"))
		add(v.PendingAge > 0, "%s pending, oldest %s", count(v.Pending, "row"), Span(v.PendingAge))
	}
	add(v.Lag > 0, "lag %s", Span(v.Lag))
	add(v.Load > 0, "load %.2f", v.Load)
	add(v.Skew != 0, "clock %s", Signed(v.Skew))
	return strings.Join(out, ", ")
}

// Span formats a duration with one unit and about two digits, such as 340ms, 12s, 5m, 3h, 2d.
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Span(d.Abs()) // the minimum duration has no positive counterpart
	case d == 0:
		return "0s"
	case d < time.Millisecond:
		return strconv.FormatInt(max(d.Microseconds(), 1), 10) + "µs"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < 2*time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	case d < 2*time.Hour:
		return strconv.FormatInt(int64(d/time.Minute), 10) + "m"
	case d < 48*time.Hour:
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	}
	return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d"
}

// Signed is [Span] with a plus sign for positive durations.
func Signed(d time.Duration) string {
	if d > 0 {
		return "+" + Span(d)
	}
	return Span(d)
}

// Clean escapes unprintable characters of a name.
func Clean(name string) string { return clean(name) }
