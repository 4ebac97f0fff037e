package bus

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if playReader() || playDial() {
		return
	}
	goleak.VerifyTestMain(m)
}

// eventually waits for a condition, and fails the test when it does not come.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	timeout := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("%s: did not happen", what)
		}
	}
}
