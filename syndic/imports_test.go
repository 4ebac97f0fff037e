package syndic

import (
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

func TestImports(t *testing.T) {
	importtest.Shape{Folder: "syndic", Floors: 3, Packages: 8}.Check(t)
}
