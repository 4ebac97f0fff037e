package callargs

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "30m": 30 * time.Minute, "2h": 2 * time.Hour, "7d": 168 * time.Hour,
		"1d12h": 36 * time.Hour, " 5s ": 5 * time.Second, "365d": 8760 * time.Hour,
	} {
		if got, err := Duration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "-5m", "d", "366d", "1e30", "NaN", "5x", "d5", "1d-2h", "inf", "NaNd"} {
		if got, err := Duration(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
