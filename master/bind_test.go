package master

import (
	"testing"
	"time"
)

func TestHeartbeatsCanBeSwitchedOff(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: never, time.Second: time.Second, 10 * time.Minute: 10 * time.Minute} {
		if got := orNever(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}
