package syndic

import (
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

func TestImports(t *testing.T) {
	importtest.Shape{Folder: "syndic", Floors: 4, Packages: 9}.Check(t)
}
