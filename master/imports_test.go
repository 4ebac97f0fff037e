package master

import (
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

func TestImports(t *testing.T) {
	importtest.Shape{Folder: "master", Floors: 10, Packages: 49}.Check(t)
}
