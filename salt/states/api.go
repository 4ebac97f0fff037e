package states

import (
	"context"
	"errors"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/registry"

	"github.com/momtree/mom/value"
)

// ErrNoFunction is wrapped by the error of [Modules.Call] for an unknown execution
// function.
var ErrNoFunction = errors.New("no such function")

// Functions provides the state functions. It must be safe for concurrent use (the state
// option parallel).
type Functions interface {
	// Spec returns the arguments of a function by its full name, such as "file.managed" or
	// "service.mod_watch".
	Spec(name string) (Spec, bool)
	// Run calls the function. An error is reported as Salt reports an exception in a state;
	// a fault that the state detects is in the [Result].
	Run(ctx context.Context, c *Call) (*Result, error)
	// Missing returns the reason why a function does not exist, for the line "Reason: …";
	// may be "". For an unknown name, Salt says "'x.y' is not available."
	Missing(name string) string
}

// Spec describes the arguments of a state function.
type Spec struct {
	// Args are the named arguments in order. Required ones come first; the first one is
	// name.
	Args []Arg
	// VarKw allows unknown arguments ([Call.Kwargs]). Without it, they cause a warning, as
	// in Salt.
	VarKw bool
	// OwnUnless means that the function itself checks unless, onlyif and creates (Salt's
	// mod_run_check), not the runner.
	OwnUnless bool
	// OwnCheckCmd means the same for check_cmd (mod_run_check_cmd). The function has an
	// argument check_cmd.
	OwnCheckCmd bool
}

// Arg is one named argument of a state function.
type Arg = registry.Arg

// Call is one call of a state function.
type Call struct {
	// Fun is the full name, such as "file.managed".
	Fun string
	// Args holds every named argument of the [Spec], with defaults.
	Args *value.Map
	// Kwargs holds the other arguments of a function with VarKw; never nil.
	Kwargs *value.Map
	// Test is true if the function must not change anything: the run has test=True, or
	// prereq asks what the chunk would change.
	Test bool
	// Saltenv is the environment of the chunk.
	Saltenv string
	// Low is the chunk. It must not be changed.
	Low *value.Map
	// Requisites holds, for mod_watch only, the chunks that each requisite names: {"watch":
	// [chunk, …], …}.
	Requisites *value.Map
	// Chunks are all chunks of the run in order, and Running the results so far, by tag.
	// Functions such as file.directory with clean need them. They must not be changed.
	Chunks  []*value.Map
	Running *value.Map
	// Run is shared by all calls of one run, and nil for a single call. Functions use it to
	// pass data to later ones (file.accumulated).
	Run *Shared
}

// Name returns the argument name as a string.
func (c *Call) Name() string { return c.Str("name") }

// Value returns a named argument, or nil.
func (c *Call) Value(name string) any {
	v, _ := c.Args.Get(name)
	return v
}

// Str returns a named argument if it is a string, else "".
func (c *Call) Str(name string) string { return c.Args.String(name) }

// Truth reports whether the named argument is true in Python.
func (c *Call) Truth(name string) bool { return pyfmt.Truth(c.Value(name)) }

// Result is the result of a state function.
type Result struct {
	// Name is usually the argument name.
	Name string
	// Result is true, false, or nil for "would be changed" (test=True).
	Result any
	// Changes are the changes made; may be nil.
	Changes *value.Map
	// Comment is shown to the user.
	Comment string
	// Warnings are shown beside the comment.
	Warnings []string
	// Extra holds further keys of the result, such as pchanges or skip_watch; may be nil.
	Extra *value.Map
}

// Modules calls execution functions for unless, onlyif, check_cmd and slots.
type Modules interface {
	// Call calls a function. The error is [ErrNoFunction] if it does not exist.
	Call(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error)
	// Retcode is Call with the exit code that the function sets, Salt's
	// __context__["retcode"].
	Retcode(ctx context.Context, fun string, args []any, kwargs *value.Map) (v any, retcode int, err error)
}

// Source provides SLS files and top files.
type Source interface {
	// Envs returns the environments.
	Envs(ctx context.Context) ([]string, error)
	// Files returns the paths of all files of an environment, with slashes.
	Files(ctx context.Context, saltenv string) ([]string, error)
	// Open reads a file. The error is [io/fs.ErrNotExist] if it does not exist.
	Open(ctx context.Context, saltenv, path string) ([]byte, error)
	// Tops returns the SLS names that the master's tops add to the top file, as lists by
	// environment; may be nil.
	Tops(ctx context.Context) (*value.Map, error)
}

// Template is one SLS to render.
type Template struct {
	Data    []byte
	Saltenv string
	// SLS is the dotted name, "" for a top file. Path is the path in the environment.
	SLS, Path string
}

// Renderer renders an SLS or a top file to data. Its errors have the words that follow
// "Rendering SLS 'env:sls' failed: " in Salt.
type Renderer interface {
	Render(ctx context.Context, t Template) (any, error)
}
