//go:build linux

package chaos

import (
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// program and lab are the built commands of the product and of this module, without the race detector, so
// that memory is what it will be.
var program, lab string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		if program, err = momtest.Build(dir, "mom"); err == nil {
			lab, err = momtest.Build(dir, "lab/momlab")
		}
		return err
	})
}
