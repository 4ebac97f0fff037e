//go:build saltpeer

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// program is the binary that is judged.
var program string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if peers, err = findPeers(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if program = os.Getenv("MOM"); program == "" {
		dir, err := os.MkdirTemp("", "momprogram")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the temporary folder
		program = filepath.Join(dir, "mom")
		if out, err := exec.Command("go", "build", "-o", program, "github.com/momtree/mom/mom").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
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
