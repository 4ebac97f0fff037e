package syndic

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Each check opens and breaks real connections. The command line flag overrides this.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds the waits of tests.
const patience = 20 * time.Second
