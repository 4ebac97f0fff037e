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
