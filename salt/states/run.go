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

// Run is one run of states, or one look at what would run. It is not for concurrent
// use.
type Run struct {
	o Options

	// What is there, by environment, and asked for once.
	envs   []string
	avail  map[string][]string
	asked  bool
	rorder int64 // the next order of definition
	// rendered are the names of the SLS files that this run has rendered.
	rendered []string

	// While states run.
	runNum   int64
	running  *value.Map // results by tag
	pre      *value.Map // what states gave that prereq asked
	active   map[string]bool
	modInit  map[string]bool
	failhard bool
	depth    int // of chunks that run because others require them
	shared   Shared
	parallel map[string]*parallel // states under way beside the others, by tag
}

// New makes a run.
func New(o Options) *Run {
	return &Run{
		o: o.withDefaults(), avail: map[string][]string{}, rorder: 10000,
		running: value.NewMap(), pre: value.NewMap(),
		active: map[string]bool{}, modInit: map[string]bool{}, parallel: map[string]*parallel{},
	}
}

// read reads a file of an environment that is not too large.
func (r *Run) read(ctx context.Context, env, path string) ([]byte, error) {
	data, err := r.o.Source.Open(ctx, env, path)
	//mutant:sls-size
	if err == nil && int64(len(data)) > r.o.MaxSLS {
		return nil, &TooLargeError{Path: path, Size: int64(len(data)), Max: r.o.MaxSLS}
	}
	return data, err
}

// TooLargeError is a file that is larger than an SLS may be.
type TooLargeError struct {
	Path      string
	Size, Max int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes; an SLS has at most %d: split it, or take what is data out of it", e.Path, e.Size, e.Max)
}

// hasEnv tells whether an environment exists; base always does.
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

// states are the SLS names of an environment.
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

// slsNames are the SLS names among the paths of an environment, sorted.
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

// slsPaths are where an SLS may lie, in the order they are tried.
func slsPaths(sls string) []string {
	path := strings.ReplaceAll(sls, ".", "/")
	return []string{path + ".sls", path + "/init.sls"}
}

// find reads an SLS; ok is false when there is none.
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

// Outcome is what a run gave.
type Outcome struct {
	// Errors are why nothing ran: it could not be compiled. Salt returns them as a
	// list in the place of the results.
	Errors []string
	// Results of the states by tag STATE_|-ID_|-NAME_|-FUN; nil with Errors.
	Results *value.Map
	// High is the high data that ran, for what counts as failed ([Outcome.Retcode]).
	High *value.Map
}

// Value is the outcome as Salt returns it.
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

// Retcode is the exit code of the outcome: a state that failed counts unless an
// onfail of another one answers for it.
func (o Outcome) Retcode() int {
	switch {
	case o.Errors != nil:
		return CompileError
	case !succeeded(o.Results, o.High):
		return Failure
	}
	return Good
}
