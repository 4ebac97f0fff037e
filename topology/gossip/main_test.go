package gossip

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// leaving is how long a probe that was under way when a member was shut down may go
// on: it cannot be broken off, and lasts longer on a machine that is slow to answer.
const leaving = 20 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		err := goleak.Find()
		for end := time.Now().Add(leaving); err != nil && time.Now().Before(end); {
			err = goleak.Find() // it tries for a while
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "goroutines are left:", err)
			code = 1
		}
	}
	os.Exit(code)
}
