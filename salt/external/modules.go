package external

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/value"
)

// describeLimit is the time limit of a program to describe itself.
const describeLimit = 10 * time.Second

// Options configure [Modules].
type Options struct {
	// Dirs are the folders of programs to run as modules. They need not exist.
	Dirs []string
	// Limit is the time limit of a call. Default 5 minutes.
	Limit time.Duration
	// MaxOutput is the most bytes of an answer. Default 16 MiB.
	MaxOutput int
	// Taken reports whether a name belongs to one of the minion's own modules; external
	// modules cannot use it. nil: no name is taken.
	Taken func(module string) bool
	Log   *slog.Logger // nil: slog.Default()
}

// Modules are the external modules of a minion. Each program describes itself once, and
// again after its file changed. It is safe for concurrent use.
type Modules struct {
	o Options

	mu    sync.Mutex
	known map[string]*module // by path
}

// module is one program.
type module struct {
	name, path string
	state      string // of its file when it was described
	about      Description
	fault      error // why it is unusable
}

// New returns the modules of a minion. It runs no program.
func New(o Options) *Modules {
	if o.Limit <= 0 {
		o.Limit = 5 * time.Minute
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 16 << 20
	}
	if o.Taken == nil {
		o.Taken = func(string) bool { return false }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Modules{o: o, known: map[string]*module{}}
}

// Name returns the module name of a file: the file name up to the first dot. It is "" if
// that is not a valid name.
func Name(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	if !word.MatchString(name) {
		return ""
	}
	return name
}

// find returns the program of a module.
func (m *Modules) find(name string) (string, os.FileInfo) {
	if !word.MatchString(name) {
		return "", nil
	}
	for _, dir := range m.o.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if Name(e.Name()) != name {
				continue
			}
			path := filepath.Join(dir, e.Name())
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
				return path, st
			}
		}
	}
	return "", nil
}

// Names returns the names of all modules, sorted. They are the names of the programs,
// whatever their descriptions say.
func (m *Modules) Names() []string {
	var out []string
	for _, dir := range m.o.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name := Name(e.Name()); name != "" && !m.o.Taken(name) {
				if path, _ := m.find(name); path != "" {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Error is a program that is not a module, or that failed.
type Error struct {
	Module, Path string
	Err          error
}

func (e *Error) Error() string {
	return fmt.Sprintf("external module %s (%s): %v", e.Module, e.Path, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrNone means that the module does not exist.
var ErrNone = fmt.Errorf("no such external module: %w", os.ErrNotExist)

// Describe returns the description of a module. It asks the program once for each state of
// its file.
func (m *Modules) Describe(ctx context.Context, name string) (Description, error) {
	mod, err := m.module(ctx, name)
	if err != nil {
		return Description{}, err
	}
	return mod.about, nil
}

func (m *Modules) module(ctx context.Context, name string) (*module, error) {
	path, st := m.find(name)
	if path == "" {
		return nil, ErrNone
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	state := fmt.Sprint(st.Size(), st.ModTime().UnixNano(), st.Mode())
	if mod := m.known[path]; mod != nil && mod.state == state {
		return mod, mod.wrapped()
	}
	mod := &module{name: name, path: path, state: state}
	mod.about, mod.fault = m.describe(ctx, name, path)
	if ctx.Err() == nil {
		m.known[path] = mod
	}
	if mod.fault != nil {
		m.o.Log.Warn("external module ignored", "module", name, "path", path, "err", mod.fault)
	}
	return mod, mod.wrapped()
}

func (mod *module) wrapped() error {
	if mod.fault == nil {
		return nil
	}
	return &Error{mod.name, mod.path, mod.fault}
}

func (m *Modules) describe(ctx context.Context, name, path string) (Description, error) {
	if m.o.Taken(name) {
		return Description{}, fmt.Errorf("the minion has a built-in module %s; rename the program", name)
	}
	if err := trusted(path); err != nil {
		return Description{}, err
	}
	question, err := request(value.NewMap("mom", Version, "call", "describe"))
	if err != nil {
		return Description{}, err
	}
	out, err := ask(ctx, path, question, describeLimit, m.o.MaxOutput)
	if err != nil {
		return Description{}, fmt.Errorf("describe: %w", err)
	}
	d, err := parseDescription(out)
	if err != nil {
		return d, fmt.Errorf("describe: %w", err)
	}
	return d, nil
}

// Call is one call of a function.
type Call struct {
	Module, Function string
	// Args are the named arguments, Rest the positional ones beyond them, and Kwargs the
	// keywords beyond them.
	Args   *value.Map
	Rest   []any
	Kwargs *value.Map
	JID    string
	ID     string // of the minion
	// Grains and Pillar are sent to a module that requests them.
	Grains, Pillar *value.Map
}

// Run calls a function. An error reported by the module is a [Failure].
func (m *Modules) Run(ctx context.Context, c Call) (v any, retcode int, err error) {
	mod, err := m.module(ctx, c.Module)
	if err != nil {
		return nil, 0, err
	}
	// Another user may have changed it since it was described.
	if err := trusted(mod.path); err != nil {
		return nil, 0, &Error{c.Module, mod.path, err}
	}
	load := value.NewMap("mom", Version, "call", "run", "function", c.Function, "args", orMap(c.Args), "rest", orList(c.Rest),
		"kwargs", orMap(c.Kwargs), "id", c.ID, "jid", c.JID)
	if mod.about.Grains {
		load.Set("grains", orMap(c.Grains))
	}
	if mod.about.Pillar {
		load.Set("pillar", orMap(c.Pillar))
	}
	question, err := request(load)
	if err == nil {
		var out []byte
		if out, err = ask(ctx, mod.path, question, m.o.Limit, m.o.MaxOutput); err == nil {
			v, retcode, err = parseReturn(out)
		}
	}
	if err != nil && ctx.Err() == nil {
		err = &Error{c.Module, mod.path, err}
	}
	return v, retcode, err
}

func orMap(m *value.Map) *value.Map {
	if m == nil {
		return value.NewMap()
	}
	return m
}

func orList(l []any) []any {
	if l == nil {
		return []any{}
	}
	return l
}
