package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	name := Arg{Name: "name", Required: true}
	val := Arg{Name: "value", Required: true}
	Register("sysctl",
		Function{Name: "show", Args: []Arg{{Name: "config_file", Default: false}}, Run: sysctlShow, Doc: `
Return the kernel parameters of the host, or with config_file those that a file sets.

CLI Example:

    salt '*' sysctl.show
    salt '*' sysctl.show config_file=/etc/sysctl.conf
`},
		Function{Name: "get", Args: []Arg{name}, Run: sysctlGet, Doc: `
Return the kernel parameter name of the host.

CLI Example:

    salt '*' sysctl.get net.ipv4.ip_forward
`},
		Function{Name: "assign", Args: []Arg{name, val}, Run: sysctlAssign, Doc: `
Set the kernel parameter name of the host to value, until its next start.

CLI Example:

    salt '*' sysctl.assign net.ipv4.ip_forward 1
`},
		Function{Name: "persist", Args: []Arg{name, val, {Name: "config"}}, Run: sysctlPersist, Doc: `
Set the kernel parameter name of the host to value, and write it into a file so that it holds
after the next start. config is the file; by default that of sysctl.default_config.

CLI Example:

    salt '*' sysctl.persist net.ipv4.ip_forward 1
`},
		Function{Name: "default_config", Run: func(ctx context.Context, c *Call) (any, error) { return c.sysctlConfig(ctx), nil }, Doc: `
Return the file that sysctl.persist writes to: /etc/sysctl.d/99-salt.conf with systemd from
version 207 on, /etc/sysctl.conf otherwise.

CLI Example:

    salt '*' sysctl.default_config
`},
	)
}

// procSys is the folder of kernel parameters; tests replace it.
var procSys = "/proc/sys"

// sysctlConfig returns the file for persistent parameters.
func (c *Call) sysctlConfig(ctx context.Context) string {
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		if r, err := c.exec(ctx, "systemctl", "--version"); err == nil {
			f := strings.Fields(r.stdout)
			if len(f) > 1 {
				if v, err := strconv.Atoi(f[1]); err == nil && v >= 207 {
					return "/etc/sysctl.d/99-salt.conf"
				}
			}
		}
	}
	return "/etc/sysctl.conf"
}

func sysctlShow(ctx context.Context, c *Call) (any, error) {
	out := value.NewMap()
	if pyfmt.Truth(c.Value("config_file")) {
		b, err := os.ReadFile(c.Str("config_file"))
		if errors.Is(err, fs.ErrNotExist) {
			return []any{}, nil
		}
		if err != nil {
			return nil, CommandErrorf("read %s: %v", c.Str("config_file"), err)
		}
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSpace(line)
			if k, v, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
				out.Set(strings.TrimRight(k, " \t"), strings.TrimLeft(v, " \t"))
			}
		}
		return out, nil
	}
	r, err := c.sysctl(ctx, "-a")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(r.stdout) {
		if k, v, ok := strings.Cut(strings.TrimRight(line, "\n"), " = "); ok {
			out.Set(k, v)
		}
	}
	return out, nil
}

// sysctl runs the program sysctl.
func (c *Call) sysctl(ctx context.Context, words ...string) (ran, error) {
	if which("sysctl") == "" {
		return ran{}, CommandErrorf("Command 'sysctl' cannot be found")
	}
	return c.exec(ctx, append([]string{"sysctl"}, words...)...)
}

// sysctlName returns the name of a parameter. It rejects a name that the program would
// parse as an option.
func (c *Call) sysctlName() (string, error) {
	name := c.Str("name")
	//mutant:modules-sysctl-name
	if err := plainArg("name", name); err != nil {
		return "", err
	}
	return name, nil
}

func sysctlGet(ctx context.Context, c *Call) (any, error) {
	name, err := c.sysctlName()
	if err != nil {
		return nil, err
	}
	r, err := c.sysctl(ctx, "-n", name)
	if err != nil {
		return nil, err
	}
	return r.stdout + r.stderr, nil // as cmd.run, both streams
}

func sysctlAssign(ctx context.Context, c *Call) (any, error) {
	name, err := c.sysctlName()
	if err != nil {
		return nil, err
	}
	return c.assignSysctl(ctx, name, PyStr(c.Value("value")))
}

func (c *Call) assignSysctl(ctx context.Context, name, to string) (*value.Map, error) {
	if strings.ContainsAny(to, "\n\x00") {
		return nil, InvocationErrorf("value %s is invalid: it contains a line break", PyRepr(to))
	}
	swapped := strings.NewReplacer(".", "/", "/", ".").Replace(name)
	path := filepath.Join(procSys, swapped)
	//mutant:modules-sysctl-name-2
	if _, err := os.Stat(path); err != nil || !strings.HasPrefix(path, procSys+"/") {
		return nil, CommandErrorf("sysctl %s does not exist", name)
	}
	r, err := c.sysctl(ctx, "-w", name+"="+to)
	if err != nil {
		return nil, err
	}
	k, v, ok := strings.Cut(r.stdout, " = ")
	if want := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `\s+=\s+` + regexp.QuoteMeta(to) + `$`); !ok || !want.MatchString(r.stdout) || strings.Contains(r.stderr, "Invalid argument") {
		why := r.stdout
		if r.retcode != 0 && r.stderr != "" {
			why = r.stderr
		}
		return nil, CommandErrorf("sysctl -w failed: %s", why)
	}
	return value.NewMap(k, v), nil
}

// sanitized replaces white space by one tab, as the kernel does.
func sanitized(v string) string { return strings.Join(strings.Fields(v), "\t") }

func sysctlPersist(ctx context.Context, c *Call) (any, error) {
	name, err := c.sysctlName()
	if err != nil {
		return nil, err
	}
	value := PyStr(c.Value("value"))
	if strings.ContainsAny(name+value, "\n\x00") {
		return nil, InvocationErrorf("value %s is invalid: it contains a line break", PyRepr(value))
	}
	config := c.Str("config")
	if config == "" {
		config = c.sysctlConfig(ctx)
	}
	b, err := os.ReadFile(config)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = []byte("#\n# Kernel sysctl configuration\n#\n"), os.MkdirAll(filepath.Dir(config), 0o755)
	}
	if err != nil {
		return nil, CommandErrorf("Could not read from file: %s: %v", config, err)
	}
	var out strings.Builder
	edited := false
	for line := range strings.Lines(string(b)) {
		k, v, ok := strings.Cut(line, "=")
		if k = strings.TrimSpace(k); !ok || strings.HasPrefix(k, "#") || k != name {
			out.WriteString(line)
			continue
		}
		if sanitized(v) == sanitized(value) {
			now, err := c.sysctl(ctx, "-n", name)
			if err != nil {
				return nil, err
			}
			if sanitized(now.stdout) == sanitized(value) {
				return "Already set", nil
			}
			if _, err := c.assignSysctl(ctx, name, value); err != nil {
				return nil, err
			}
			return "Updated", nil
		}
		out.WriteString(name + " = " + value + "\n")
		edited = true
	}
	if !edited {
		if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
			out.WriteByte('\n')
		}
		out.WriteString(name + " = " + value + "\n")
	}
	if err := os.WriteFile(config, []byte(out.String()), 0o644); err != nil {
		return nil, CommandErrorf("Could not write to file: %s: %v", config, err)
	}
	if _, err := c.assignSysctl(ctx, name, value); err != nil {
		return nil, err
	}
	return "Updated", nil
}
