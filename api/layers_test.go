package api

import (
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// No file refers to a file that refers to it.
func TestFilesAreLayered(t *testing.T) {
	for _, dir := range []string{".", "backend", "listener", "lowdata", "page", "stream"} {
		importtest.Layered(t, dir)
	}
}
