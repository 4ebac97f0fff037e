package states

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// Run is one run of states, or a preview of one. It is not safe for concurrent use.
type Run struct {
	o Options

	// Caches by environment.
	envs   []string
	avail  map[string][]string
	asked  bool
	rorder int64 // next order of definition
	// rendered are the names of the SLS files that this run has rendered.
	rendered []string

	// Used while states run.
	runNum   int64
	running  *value.Map // results by tag
	pre      *value.Map // results of states that prereq asked for
	active   map[string]bool
	modInit  map[string]bool
	failhard bool
	depth    int // of chunks run as requisites
	shared   Shared
	parallel map[string]*parallel // states running in parallel, by tag
}

// New returns a run.
func New(o Options) *Run {
	return &Run{
		o: o.withDefaults(), avail: map[string][]string{}, rorder: 10000,
		running: value.NewMap(), pre: value.NewMap(),
		active: map[string]bool{}, modInit: map[string]bool{}, parallel: map[string]*parallel{},
	}
}

// read reads a file of an environment and bounds its size.
func (r *Run) read(ctx context.Context, env, path string) ([]byte, error) {
	data, err := r.o.Source.Open(ctx, env, path)
	//mutant:sls-size
	if err == nil && int64(len(data)) > r.o.MaxSLS {
		return nil, &TooLargeError{Path: path, Size: int64(len(data)), Max: r.o.MaxSLS}
	}
	return data, err
}

// TooLargeError means that a file exceeds the size limit of an SLS.
type TooLargeError struct {
	Path      string
	Size, Max int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes; an SLS has at most %d: split it, or take what is data out of it", e.Path, e.Size, e.Max)
}

// hasEnv reports whether an environment exists; base always does.
func (r *Run) hasEnv(ctx context.Context, env string) (bool, error) {
	if env == "base" {
		return true, nil
	}
	if !r.asked {
		envs, err := r.envOrder(ctx)
		if err != nil {
			return false, err
		}
		r.envs, r.asked = envs, true
	}
	return slices.Contains(r.envs, env), nil
}

// states returns the SLS names of an environment.
func (r *Run) states(ctx context.Context, env string) ([]string, error) {
	if names, ok := r.avail[env]; ok {
		return names, nil
	}
	files, err := r.o.Source.Files(ctx, env)
	if err != nil {
		return nil, err
	}
	names := slsNames(files)
	r.avail[env] = names
	return names, nil
}

// slsNames returns the SLS names among the paths of an environment, sorted.
func slsNames(files []string) []string {
	var names []string
	for _, f := range files {
		name, ok := strings.CutSuffix(f, ".sls")
		if !ok {
			continue
		}
		names = append(names, strings.ReplaceAll(strings.TrimSuffix(name, "/init"), "/", "."))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// slsPaths returns the possible paths of an SLS, in search order.
func slsPaths(sls string) []string {
	path := strings.ReplaceAll(sls, ".", "/")
	return []string{path + ".sls", path + "/init.sls"}
}

// find reads an SLS; ok is false if it does not exist.
func (r *Run) find(ctx context.Context, env, sls string) (path string, data []byte, ok bool, err error) {
	for _, path := range slsPaths(sls) {
		data, err := r.read(ctx, env, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return path, data, err == nil, err
	}
	return "", nil, false, nil
}

// Outcome is the result of a run.
type Outcome struct {
	// Errors are compile errors, because of which nothing ran. Salt returns them as a list
	// in place of the results.
	Errors []string
	// Results of the states by tag STATE_|-ID_|-NAME_|-FUN; nil with Errors.
	Results *value.Map
	// High is the high data of the run. [Outcome.Retcode] uses it.
	High *value.Map
}

// Value returns the outcome in Salt's form.
func (o Outcome) Value() any {
	if o.Errors != nil {
		return texts(o.Errors)
	}
	return o.Results
}

func texts(ss []string) []any {
	out := make([]any, len(ss))
	for i, s := range ss {
		out[i] = s
	}
	return out
}

// Exit codes of a state run (Salt: defaults/exitcodes.py).
const (
	Good         = 0
	CompileError = 1
	Failure      = 2
	PillarError  = 5
)

// Retcode returns the exit code of the outcome. A failed state counts unless an onfail of
// another one handles it.
func (o Outcome) Retcode() int {
	switch {
	case o.Errors != nil:
		return CompileError
	case !succeeded(o.Results, o.High):
		return Failure
	}
	return Good
}
