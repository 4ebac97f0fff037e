package syndic

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Each check of the model makes and breaks real connections; the flag on the
	// command line still decides.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// until waits for a condition.
func until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-poll.C:
		case <-deadline:
			tb.Fatalf("waited in vain: %s", what)
		}
	}
}
