package modules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// systemd manages services with systemctl.
type systemd struct{}

// unitTypes are the types of units that Salt treats as services.
var unitTypes = []string{"service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer"}

// unitDirs are the folders of unit files of packages and of the operator.
var unitDirs = []string{"/lib/systemd/system", "/usr/lib/systemd/system", "/etc/systemd/system"}

// unit returns the full name of a service.
func unit(name string) string {
	for _, kind := range unitTypes {
		if strings.HasSuffix(name, "."+kind) {
			return name
		}
	}
	return name + ".service"
}

// short returns the name of a unit as Salt lists it; ok is false if it is not a unit.
func short(full string) (string, bool) {
	dot := strings.LastIndexByte(full, '.')
	if dot < 0 || !slices.Contains(unitTypes, full[dot+1:]) {
		return "", false
	}
	return strings.TrimSuffix(full, ".service"), true
}

// scope returns the arguments that run a command in its own scope, outside of the minion's
// service. The command may outlive the service.
func scope(c *Call) []string {
	if c.Env.Grains().String("init") != "systemd" || which("systemd-run") == "" || c.option("systemd.scope") == false {
		return nil
	}
	return []string{"systemd-run", "--scope"}
}

// systemctl runs systemctl for a service.
func systemctl(ctx context.Context, c *Call, scoped bool, name string, action ...string) (ran, error) {
	var words []string
	if scoped {
		words = scope(c)
	}
	words = append(words, "systemctl")
	if c.IsTrue("no_block") {
		words = append(words, "--no-block")
	}
	if root := c.Str("root"); root != "" {
		words = append(words, "--root", root)
	}
	words = append(words, action...)
	if name != "" {
		words = append(words, unit(name))
	}
	return c.exec(ctx, words...)
}

// withoutScope returns the output of systemctl without the line of systemd-run.
func withoutScope(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.HasSuffix(l, ".scope") })
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (s systemd) Do(ctx context.Context, c *Call, action, name string) (bool, error) {
	if err := s.reload(ctx, c, name); err != nil {
		return false, err
	}
	for arg, how := range map[string][]string{"unmask": {"unmask"}, "unmask_runtime": {"unmask", "--runtime"}} {
		if c.IsTrue(arg) {
			if r, err := systemctl(ctx, c, true, name, how...); err != nil || r.retcode != 0 {
				return false, orFailed(err, "Failed to unmask service '%s'", name)
			}
		}
	}
	if action == "enable" || action == "disable" {
		if slices.Contains(s.scripts(c), name) {
			return sysv{}.Do(ctx, c, action, name)
		}
	}
	r, err := systemctl(ctx, c, true, name, strings.ReplaceAll(action, "_", "-"))
	if err != nil {
		return false, err
	}
	if r.retcode != 0 && action != "stop" && action != "disable" {
		return false, CommandErrorf("%s", withoutScope(r.failed()))
	}
	return r.retcode == 0, nil
}

// orFailed returns err, or an error for a program that failed.
func orFailed(err error, format string, a ...any) error {
	if err != nil {
		return err
	}
	return CommandErrorf(format, a...)
}

// reload makes systemd read its unit files again if that of the service has changed.
func (s systemd) reload(ctx context.Context, c *Call, name string) error {
	if c.Str("root") != "" {
		return nil
	}
	r, err := systemctl(ctx, c, false, name, "status", "-n", "0")
	if err != nil {
		return err
	}
	custom := false
	if _, err := os.Stat(filepath.Join("/etc/systemd/system", unit(name))); err == nil {
		custom = r.retcode >= 4 // the file exists but the unit is unknown
	}
	if custom || strings.Contains(strings.ToLower(r.stdout+r.stderr), "'systemctl daemon-reload'") {
		_, err = serviceDaemonReload(ctx, c)
	}
	return err
}

func (systemd) Running(ctx context.Context, c *Call, name string) (bool, error) {
	r, err := systemctl(ctx, c, false, name, "is-active")
	return r.retcode == 0, err
}

func (s systemd) Enabled(ctx context.Context, c *Call, name string) (bool, error) {
	r, err := systemctl(ctx, c, false, name, "is-enabled")
	switch {
	case err != nil || r.retcode == 0:
		return err == nil, err
	case slices.Contains(s.scripts(c), name):
		return sysv{}.Enabled(ctx, c, name)
	}
	return false, nil
}

func (s systemd) Available(ctx context.Context, c *Call, name string) (bool, error) {
	if err := s.reload(ctx, c, name); err != nil {
		return false, err
	}
	r, err := systemctl(ctx, c, false, name, "status", "-n", "0")
	return r.retcode >= 0 && r.retcode < 4, err
}

// scripts returns the init scripts without a unit.
func (s systemd) scripts(c *Call) []string {
	units := s.files(c)
	return slices.DeleteFunc(initScripts(filepath.Join("/", c.Str("root"), "etc/init.d")), func(name string) bool {
		return slices.Contains(units, name)
	})
}

// files returns the services with a unit file.
func (systemd) files(c *Call) []string {
	var out []string
	for _, dir := range unitDirs {
		dir = filepath.Join("/", c.Str("root"), dir)
		if st, err := os.Lstat(dir); err != nil || !st.IsDir() {
			continue // a link to another unit
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name, ok := short(e.Name()); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

func (s systemd) List(ctx context.Context, c *Call, which string) ([]string, error) {
	column, action := 1, []string{"--full", "--no-legend", "--no-pager", "list-unit-files"}
	switch which {
	case "all":
		return append(s.files(c), s.scripts(c)...), nil
	case "running":
		column, action = 3, action[:3]
	}
	r, err := systemctl(ctx, c, false, "", action...)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(r.stdout) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "● "))
		if len(f) <= column || f[column] != which {
			continue
		}
		if name, ok := short(f[0]); ok {
			out = append(out, name)
		}
	}
	if which != "enabled" && which != "disabled" {
		return out, nil
	}
	for _, name := range s.scripts(c) {
		on, err := sysv{}.Enabled(ctx, c, name)
		if err != nil {
			return nil, err
		}
		if on == (which == "enabled") {
			out = append(out, name)
		}
	}
	return out, nil
}

// onlySystemd returns an error on a host without systemd.
func onlySystemd(c *Call) error {
	m, err := c.manager()
	if err != nil {
		return err
	}
	if _, ok := m.(systemd); !ok {
		return CommandErrorf("%s needs a host with systemd", c.Fun)
	}
	return nil
}

func serviceDaemonReload(ctx context.Context, c *Call) (any, error) {
	if err := onlySystemd(c); err != nil {
		return nil, err
	}
	r, err := c.exec(ctx, "systemctl", "--system", "daemon-reload")
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("Problem performing systemctl daemon-reload: %s", r.failed())
	}
	return true, err
}

func serviceMask(action string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		if err := onlySystemd(c); err != nil {
			return nil, err
		}
		words := []string{action}
		if c.IsTrue("runtime") {
			words = append(words, "--runtime")
		}
		r, err := systemctl(ctx, c, true, c.Str("name"), words...)
		if err == nil && r.retcode != 0 {
			fault := fmt.Sprintf("Failed to %s service '%s'", action, c.Str("name"))
			if r.stderr != "" {
				fault += ". Additional info follows:\n\n" + r.stderr
			}
			err = CommandErrorf("%s", fault)
		}
		return true, err
	}
}

func serviceMasked(_ context.Context, c *Call) (any, error) {
	if err := onlySystemd(c); err != nil {
		return nil, err
	}
	dir := "/etc"
	if c.IsTrue("runtime") {
		dir = "/run"
	}
	to, err := os.Readlink(filepath.Join("/", c.Str("root"), dir, "systemd/system", unit(c.Str("name"))))
	return err == nil && to == "/dev/null", nil
}

func serviceShow(ctx context.Context, c *Call) (any, error) {
	if err := onlySystemd(c); err != nil {
		return nil, err
	}
	r, err := systemctl(ctx, c, false, c.Str("name"), "show")
	out := value.NewMap()
	for line := range strings.Lines(r.stdout) {
		key, v, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		switch {
		case key == "":
		case strings.HasPrefix(v, "{"):
			parts := value.NewMap()
			for item := range strings.SplitSeq(strings.NewReplacer("{", "", "}", "").Replace(v), " ; ") {
				if k, text, ok := strings.Cut(item, "="); ok {
					parts.Set(strings.TrimSpace(k), strings.TrimSpace(text))
				}
			}
			out.Set(key, parts)
		case key == "Before" || key == "After" || key == "Wants":
			out.Set(key, wire.AnyList(strings.Fields(v)))
		default:
			out.Set(key, v)
		}
	}
	return out, err
}
