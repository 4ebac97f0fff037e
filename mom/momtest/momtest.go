package momtest

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	prebuilt "github.com/momtree/mom/test/program"
)

// Main lets prepare build what the tests need into a folder that goes with them,
// runs them, looks for goroutines they have left, and ends the process.
func Main(m *testing.M, prepare func(dir string) error) {
	os.Exit(run(m, prepare, func() error { return nil }))
}

// run is Main; finish is called after the tests however they ended.
func run(m *testing.M, prepare func(dir string) error, finish func() error) int {
	dir, err := os.MkdirTemp("", "momtest")
	if err == nil {
		defer os.RemoveAll(dir)
		err = prepare(dir)
	}
	code := 0
	if err == nil {
		code = m.Run()
		err = finish()
	}
	if err == nil && code == 0 {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// Build builds a command of this module, such as "mom" or "lab/momlab", into dir and
// gives its path: also for tests in a module of their own, which have other versions of
// what it needs. The flags are those of go build. Without flags Build returns the file that
// was built before all tests, if there is one ([prebuilt.Shared]).
func Build(dir, command string, flags ...string) (string, error) {
	name := path.Base(command)
	if built := prebuilt.Shared(name); built != "" && len(flags) == 0 {
		return built, nil
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/momtree/mom").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	program, module := filepath.Join(dir, name), strings.TrimSpace(string(root))
	if strings.HasPrefix(command, "lab/") { // a module of its own
		module = filepath.Join(module, "lab")
	}
	args := append([]string{"build", "-C", module, "-ldflags=-w", "-o", program}, flags...)
	cmd := exec.Command("go", append(args, "github.com/momtree/mom/"+command)...)
	if len(flags) == 0 {
		cmd.Env = prebuilt.Env()
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", command, err, out)
	}
	return program, nil
}
