//go:build saltpeer

package interop

import (
	"os"
	"testing"

	"github.com/momtree/mom/lab/peers"
	"github.com/momtree/mom/mom/momtest"
)

// program is the binary that is judged.
var program string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		if installed, err = peers.Find(); err != nil {
			return err
		}
		if eighth, err = peers.Find8(); err != nil {
			return err
		}
		if program = os.Getenv("MOM"); program == "" {
			program, err = momtest.Build(dir, "mom")
		}
		return err
	})
}
