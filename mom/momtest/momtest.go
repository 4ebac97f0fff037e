package momtest

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// Main lets prepare build what the tests need into a folder that goes with them,
// runs them, looks for goroutines they have left, and ends the process.
func Main(m *testing.M, prepare func(dir string) error) { os.Exit(run(m, prepare)) }

func run(m *testing.M, prepare func(dir string) error) int {
	dir, err := os.MkdirTemp("", "momtest")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the temporary folder
		err = prepare(dir)
	}
	if err == nil {
		if code := m.Run(); code != 0 {
			return code
		}
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Build builds a command of this module, such as "mom/chaos/rounds", into dir and
// gives its path. The flags are those of go build.
func Build(dir, command string, flags ...string) (string, error) {
	program := filepath.Join(dir, path.Base(command))
	args := append([]string{"build", "-o", program}, flags...)
	if out, err := exec.Command("go", append(args, "github.com/momtree/mom/"+command)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", command, err, out)
	}
	return program, nil
}
