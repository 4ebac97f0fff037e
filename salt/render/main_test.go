package render_test

import (
	"testing"

	"github.com/dlclark/regexp2"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// regexp2 keeps a clock running for a while after a match with a deadline.
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { regexp2.StopTimeoutClock() }))
}
