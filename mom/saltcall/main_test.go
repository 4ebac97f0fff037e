package saltcall

import (
	"testing"

	"github.com/momtree/mom/mom/momtest"
	_ "github.com/momtree/mom/returners/mysql" // as the program
	_ "github.com/momtree/mom/returners/sqlite"
)

func TestMain(m *testing.M) { momtest.Trees(m) }
