//go:build linux

package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// program and rounds are the built commands of the product and of this package.
var program, rounds string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mct")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the temporary folder
	program, rounds = filepath.Join(dir, "mom"), filepath.Join(dir, "rounds")
	for out, pkg := range map[string]string{program: "github.com/momtree/mom/mom", rounds: "github.com/momtree/mom/mom/chaos/rounds"} {
		// Without the race detector, so that memory is what it will be.
		if text, err := exec.Command("go", "build", "-o", out, pkg).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", pkg, err, text)
			return 1
		}
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}
