package wheels

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

const configLimits = `
They are checked, written and take effect at the next start of the master. Only some options
may be set: times to wait and to keep, events and output. The error for any other names them
all. Options that give power (external_auth, publisher_acl, paths, keys, addresses, logins,
databases, ...) are set in the files of the master only.
`

func init() {
	Register(
		Function{Name: "config.values", Run: configValues, Doc: `
All options of this master, from its files and by default. Passwords and other secrets are
shown as asterisks.

    wheel.cmd('config.values')
`},
		Function{Name: "config.apply", Args: []string{"key", "value"}, Run: configApply, Doc: `
Sets one option, in the file wheel.conf in the directory of default_include (master.d).
` + configLimits + `
key, value
    The name and the value.

    wheel.cmd('config.apply', ['timeout', 10])
`},
		Function{Name: "config.update_config", Args: []string{"file_name", "yaml_contents"}, Run: configUpdate, Doc: `
Writes options to a separate file in the directory of default_include (master.d), and
replaces the result of an earlier call. It does not change files written by others.
` + configLimits + `
file_name
    The name of the file without .conf.
yaml_contents
    A mapping of options to their values.

    wheel.cmd('config.update_config', ['gui', {'timeout': 10}])
`},
	)
}

func configOf(c *Call) (*config.Master, error) {
	if c.Env.Config == nil {
		return nil, errors.New(c.Fun() + ": this master has no configuration")
	}
	return c.Env.Config, nil
}

func configValues(_ context.Context, c *Call) (any, error) {
	conf, err := configOf(c)
	if err != nil {
		return nil, err
	}
	return wire.Normal(conf.Shown()), nil
}

// configWrites serializes calls that read, check and write configuration files.
var configWrites sync.Mutex

// applied is the base name of the file of config.apply.
const applied = "wheel"

func configApply(_ context.Context, c *Call) (any, error) {
	conf, err := configOf(c)
	if err != nil {
		return nil, err
	}
	v, _ := c.Arg("value")
	if err := settable(c.Text("key"), v); err != nil {
		return nil, err
	}
	configWrites.Lock()
	defer configWrites.Unlock()
	path, err := configFile(conf, applied)
	if err != nil {
		return nil, err
	}
	options, err := readOptions(path)
	if err != nil {
		return nil, err
	}
	options.Set(c.Text("key"), v)
	return nil, writeOptions(conf, path, options)
}

func configUpdate(_ context.Context, c *Call) (any, error) {
	conf, err := configOf(c)
	if err != nil {
		return nil, err
	}
	v, _ := c.Arg("yaml_contents")
	options, ok := v.(*value.Map)
	if !ok {
		return nil, functions.Invalid("yaml_contents=%v is not a mapping of options to their values", v)
	}
	var fault error
	options.Range(func(k, v any) bool {
		name, ok := k.(string)
		if !ok {
			fault = functions.Invalid("%v is not the name of an option", k)
		} else {
			fault = settable(name, v)
		}
		return fault == nil
	})
	if fault != nil {
		return nil, fault
	}
	configWrites.Lock()
	defer configWrites.Unlock()
	path, err := configFile(conf, c.Text("file_name"))
	if err != nil {
		return nil, err
	}
	if _, err := readOptions(path); err != nil {
		return nil, err
	}
	if err := writeOptions(conf, path, options); err != nil {
		return nil, err
	}
	return "Wrote " + filepath.Base(path), nil
}

// settable returns an error if a caller may not set an option to a value.
func settable(name string, v any) error {
	if err := config.MayChange(name); err != nil {
		return functions.Invalid("%w", err)
	}
	if err := config.CheckValue(name, v); err != nil {
		return functions.Invalid("%w", err)
	}
	return nil
}

// fileName matches valid names of option files.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// configFile returns the path of an option file in the directory of default_include.
func configFile(conf *config.Master, name string) (string, error) {
	//mutant:runners-file-is-no-path
	if !fileName.MatchString(name) {
		return "", functions.Invalid("file_name=%q: use letters, digits, _ and -, at most 64", name)
	}
	if conf.Dir == "" || len(conf.DefaultInclude) == 0 {
		return "", errors.New("this master includes no files by default (default_include), so no file can be added")
	}
	pattern := conf.DefaultInclude[0]
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(conf.Dir, pattern)
	}
	path := filepath.Join(filepath.Dir(pattern), name+".conf")
	if fits, err := filepath.Match(pattern, path); err != nil || !fits {
		return "", fmt.Errorf("%s would not be read: default_include is %s", path, pattern)
	}
	return path, nil
}

// written is the first line of the files that these functions write.
const written = "# Written by the wheel functions config.apply and config.update_config.\n"

// readOptions reads a file that these functions wrote. A missing file has no options.
func readOptions(path string) (*value.Map, error) {
	out := value.NewMap()
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; choose another name", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the options: %w", err)
	}
	//mutant:runners-files-of-others
	if !strings.HasPrefix(string(b), written) {
		return nil, fmt.Errorf("%s was not written by config.apply or config.update_config and is not changed; choose another name", path)
	}
	entries, faults := pyfmt.YAMLEntries(b)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s: line %d: %s", path, faults[0].Line, faults[0].Text)
	}
	for _, e := range entries {
		out.Set(e.Key, e.Value)
	}
	return out, nil
}

// formatted returns the text of an option file. It fails if the text does not read back as the same
// options.
func formatted(options *value.Map) ([]byte, error) {
	text := []byte(pyfmt.YAML(options, pyfmt.YAMLForm{Ordered: true}))
	entries, faults := pyfmt.YAMLEntries(text)
	same := len(faults) == 0 && len(entries) == options.Len()
	for _, e := range entries {
		name, _ := e.Key.(string)
		same = same && options.Has(name)
	}
	if !same {
		return nil, errors.New("write the options: a value has characters that a file cannot hold")
	}
	return text, nil
}

// writeOptions writes a file. It restores the previous one if the configuration cannot be read with
// the new one.
func writeOptions(conf *config.Master, path string, options *value.Map) error {
	text, err := formatted(options)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return fmt.Errorf("read the options: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the options: %w", err)
	}
	if err := durable.WriteFile(path, append([]byte(written), text...), 0o644); err != nil {
		return fmt.Errorf("write the options: %w", err)
	}
	_, _, err = config.LoadMaster(conf.Dir)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("nothing was changed: with these options the configuration cannot be read: %w", err)
	if fresh {
		return errors.Join(err, os.Remove(path))
	}
	//mutant:runners-taken-back
	return errors.Join(err, durable.WriteFile(path, before, 0o644))
}
