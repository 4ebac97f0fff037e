//go:build linux && slow

package galera

import (
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// lab is the built command of this module.
var lab string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		lab, err = momtest.Build(dir, "lab/momlab")
		return err
	})
}
