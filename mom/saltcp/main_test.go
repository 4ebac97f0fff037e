package saltcp

import (
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

func TestMain(m *testing.M) { momtest.Trees(m) }
