package bus

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if playReader() || playDial() {
		return
	}
	goleak.VerifyTestMain(m)
}
