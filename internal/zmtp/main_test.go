package zmtp

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

func TestMain(m *testing.M) {
	if !swarmtest.Playing() {
		goleak.VerifyTestMain(m)
	}
}
