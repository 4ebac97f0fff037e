package power

import (
	"flag"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

var (
	points = flag.Int("points", pointsByDefault, "at how many points of the record the power goes")
	seed   = flag.Uint64("seed", 1, "what chooses the points and what is lost at each")
)

// program is the built binary that the members of the tree run.
var program string

func TestMain(m *testing.M) {
	Confine()
	momtest.Main(m, func(dir string) (err error) {
		program, err = momtest.Build(dir, "mom")
		return err
	})
}
