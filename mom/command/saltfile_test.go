package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/options"
)

// A Saltfile gives options that the line does not have.
func TestSaltfile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Chdir(dir)
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	named := write("named", "salt-x: {config_dir: /named, force: true}\nother: {config_dir: /other}\n", 0o600)
	run := func(args ...string) (got, failed string) {
		c := Salt{Name: "salt-x", Usage: "[options]", Short: "Test", Begin: func(s *options.Set) func(*cobra.Command, []string) error {
			conf, force := "/etc/salt", false
			s.Text(&conf, "-c --config-dir", "DIR", "folder")
			s.Bool(&force, "--force", "force")
			return func(_ *cobra.Command, words []string) error {
				got = strings.Join(append([]string{conf, map[bool]string{true: "force", false: "-"}[force]}, words...), " ")
				return nil
			}
		}}.Command()
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(append([]string{}, args...))
		c.SetOut(&bytes.Buffer{})
		if err := c.Execute(); err != nil {
			failed = err.Error()
		}
		return got, failed
	}
	check := func(name, want, wantErr string, args ...string) {
		t.Helper()
		got, failed := run(args...)
		if got != want || !strings.Contains(failed, wantErr) || (wantErr == "") != (failed == "") {
			t.Errorf("%s: %q, %q; want %q, %q", name, got, failed, want, wantErr)
		}
	}
	check("none", "/etc/salt - a", "", "a")
	check("named", "/named force a", "", "--saltfile="+named, "a")
	check("the line wins", "/line force a", "", "a", "-c", "/line", "--saltfile", named)
	check("missing", "", "no such file", "--saltfile=nosuch")
	check("unknown option", "", "has no option size", "--saltfile="+write("odd", "salt-x: {size: 3}\n", 0o600))
	check("no mapping", "", "not a mapping", "--saltfile="+write("list", "[a]\n", 0o600))
	write("home/.salt/Saltfile", "salt-x: {config_dir: /home}\n", 0o600)
	check("of the user", "/home -", "")
	write("Saltfile", "salt-x: {config_dir: /here}\n", 0o644)
	check("in the working folder", "/here -", "")
	write("Saltfile", "salt-x: {config_dir: /here}\n", 0o666)
	check("writable by others", "/home -", "")
	t.Setenv("HOME", filepath.Join(dir, "named")) // a file: .salt below it cannot be looked at
	check("below an inaccessible home", "/etc/salt - a", "", "a")
	t.Setenv("SALT_SALTFILE", named)
	check("by the environment", "/named force", "")
}
