package master

import (
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

func TestImports(t *testing.T) {
	importtest.Shape{Folder: "master", Floors: 9, Packages: 45}.Check(t)
}
