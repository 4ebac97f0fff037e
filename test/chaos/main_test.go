//go:build linux

package chaos

import (
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// program and rounds are the built commands of the product and of this package,
// without the race detector, so that memory is what it will be.
var program, rounds string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		if program, err = momtest.Build(dir, "mom"); err == nil {
			rounds, err = momtest.Build(dir, "test/chaos/rounds")
		}
		return err
	})
}
