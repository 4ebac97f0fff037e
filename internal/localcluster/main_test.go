package localcluster_test

import (
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// program is the built binary that the members of a tree run.
var program string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		program, err = momtest.Build(dir, "mom", buildFlags...)
		return err
	})
}
