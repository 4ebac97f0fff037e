package upstream

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var (
	//go:embed bridge.py
	bridge []byte
	//go:embed plugin.py
	plugin []byte
	//go:embed entry_points.txt
	entryPoints []byte
)

// Config is where the programs of a run are.
type Config struct {
	Mom       string // the binary
	Salt      string // an unpacked Salt, with bin and with a folder shim for Python if it needs one
	Salt8     string // an unpacked Salt 3008; "": casts that need it are left out
	Tests     string // the folder tests of its sources
	Factories string // sources of pytest-salt-factories and of the plugins that it needs
	Python    string // an interpreter with pytest; "": python3 on the PATH
	Dir       string // scratch
	// Limit bounds one suite. 0: one hour.
	Limit time.Duration
}

// Check reports what of the configuration is not there.
func (c Config) Check() error {
	var faults []error
	for option, path := range map[string]string{
		"SALT_PEER": filepath.Join(c.Salt, "bin", "salt-master"), "SALT_TESTS": filepath.Join(c.Tests, "pytests"),
		"SALT_FACTORIES": filepath.Join(c.Factories, "saltfactories"), "MOM": c.Mom,
	} {
		if _, err := os.Stat(path); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", option, err))
		}
	}
	if c.Salt8 != "" {
		if _, err := os.Stat(filepath.Join(c.Salt8, "bin", "salt-minion")); err != nil {
			faults = append(faults, fmt.Errorf("SALT_PEER8: %w", err))
		}
	}
	return errors.Join(faults...)
}

// Has reports whether the configured tests contain a suite.
func (c Config) Has(s Suite) bool {
	for _, p := range s.Paths {
		if _, err := os.Stat(filepath.Join(c.Tests, "pytests", p)); err != nil {
			return false
		}
	}
	return true
}

// path is the PYTHONPATH of the suites, or of the bridge with factories set to false.
func (c Config) path(factories bool) string {
	dirs := []string{filepath.Dir(c.Tests), c.Salt, filepath.Join(c.Salt, "shim")}
	if factories {
		dirs = append(dirs, c.Factories, filepath.Join(c.Dir, "python"))
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// Run runs a suite with a cast.
func (c Config) Run(ctx context.Context, suite Suite, cast Cast) (Run, error) {
	limit := c.Limit
	if limit == 0 {
		limit = time.Hour
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dir := filepath.Join(c.Dir, cast.initials()+"-"+suite.Name)
	if err := os.RemoveAll(dir); err != nil {
		return Run{}, fmt.Errorf("clear the folder of the run: %w", err)
	}
	python := c.Python
	if python == "" {
		python = "python3"
	}
	if err := c.prepare(dir, python, cast); err != nil {
		return Run{}, err
	}
	junit := filepath.Join(dir, "junit.xml")
	args := []string{
		"-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "upstream_plugin", "--scripts-dir", filepath.Join(dir, "programs"),
		"--run-slow", "--core-tests", "--junitxml", junit, "-o", "junit_logging=no",
	}
	for _, p := range suite.Paths {
		args = append(args, filepath.Join(c.Tests, "pytests", p))
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return Run{}, fmt.Errorf("create the log of the run: %w", err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, python, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Dir(c.Tests), log, log
	cmd.Env = append(os.Environ(), "PYTHONPATH="+c.path(true), "PYTHONDONTWRITEBYTECODE=1", "TMPDIR="+filepath.Join(dir, "tmp"), "MOM_SALT_ERRORS=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // pytest then stops the daemons and reports what it has
	cmd.WaitDelay = time.Minute
	failed := cmd.Run() // 1 when a test has failed
	b, err := os.ReadFile(junit)
	if err != nil {
		return Run{}, fmt.Errorf("%s with %s: %w; see %s", suite.Name, cast.Name, errors.Join(failed, err), log.Name())
	}
	run := Run{Cast: cast.Name, Suite: suite.Name, Salt: filepath.Base(c.Salt)}
	run.Tests, err = ParseJUnit(b)
	hideFolders(run.Tests, dir, "DIR", filepath.Dir(c.Tests), "SALT", c.Salt, "SALT")
	return run, err
}

// prepare writes the programs and the Python of a run.
func (c Config) prepare(dir, python string, cast Cast) error {
	modules := filepath.Join(c.Dir, "python")
	info := filepath.Join(modules, "upstream_plugins.dist-info")
	for _, d := range []string{filepath.Join(dir, "tmp"), info} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("create a folder of the run: %w", err)
		}
	}
	for path, text := range map[string][]byte{
		filepath.Join(modules, "bridge.py"): bridge, filepath.Join(modules, "upstream_plugin.py"): plugin,
		filepath.Join(info, "entry_points.txt"): entryPoints, filepath.Join(info, "METADATA"): []byte("Metadata-Version: 2.1\nName: upstream-plugins\nVersion: 1\n"),
	} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return fmt.Errorf("write the Python of the run: %w", err)
		}
	}
	forward := []string{"env", "PYTHONPATH=" + c.path(false), python, "-W", "ignore", filepath.Join(modules, "bridge.py")}
	return cast.WriteScripts(filepath.Join(dir, "programs"), c.Mom, filepath.Join(c.Salt, "bin"), filepath.Join(c.Salt8, "bin"), forward)
}
