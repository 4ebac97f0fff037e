package states

import (
	"context"
	"errors"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/registry"

	"github.com/momtree/mom/value"
)

// ErrNoFunction is wrapped by the error of [Modules.Call] for an execution function
// that does not exist.
var ErrNoFunction = errors.New("no such function")

// Functions are the state functions that chunks name. They may be called by several
// goroutines at once (the state option parallel).
type Functions interface {
	// Spec tells the arguments of a function by its full name, such as
	// "file.managed" or "service.mod_watch".
	Spec(name string) (Spec, bool)
	// Run calls the function. An error is reported as Salt reports an exception in
	// a state; what a state finds wrong is a [Result] instead.
	Run(ctx context.Context, c *Call) (*Result, error)
	// Missing says why there is no such function, for the line "Reason: …"; "" says
	// nothing. Of an unknown name Salt says "'x.y' is not available."
	Missing(name string) string
}

// Spec is what the arguments of a state function are.
type Spec struct {
	// Args are the named arguments in order; required ones come first, and the
	// first is name.
	Args []Arg
	// VarKw lets unknown arguments through ([Call.Kwargs]); without it they are
	// warned of, as Salt does.
	VarKw bool
	// OwnUnless keeps unless, onlyif and creates from the runner: the function
	// looks at them itself (as Salt's mod_run_check).
	OwnUnless bool
	// OwnCheckCmd likewise for check_cmd (mod_run_check_cmd); the function has an
	// argument check_cmd.
	OwnCheckCmd bool
}

// Arg is one named argument of a state function.
type Arg = registry.Arg

// Call is one call of a state function.
type Call struct {
	// Fun is the full name, such as "file.managed".
	Fun string
	// Args holds every named argument of the [Spec], defaults filled in.
	Args *value.Map
	// Kwargs holds the other arguments of a function with VarKw; never nil.
	Kwargs *value.Map
	// Test is true when nothing may be changed: the run has test=True, or the
	// chunk is run to find what it would change (prereq).
	Test bool
	// Saltenv is the environment the chunk comes from.
	Saltenv string
	// Low is the chunk. It must not be changed.
	Low *value.Map
	// Requisites holds, for mod_watch alone, the chunks that each requisite named:
	// {"watch": [chunk, …], …}.
	Requisites *value.Map
	// Chunks are all chunks of the run in their order, and Running the results by
	// tag until now: for functions that look at others (file.directory with clean).
	// They must not be changed.
	Chunks  []*value.Map
	Running *value.Map
	// Run is the same for all calls of one run, and nil for a single call: the place
	// where functions of a run leave something for later ones (file.accumulated).
	Run *Shared
}

// Name is the argument name as text.
func (c *Call) Name() string { return c.Str("name") }

// Value returns a named argument, nil when there is none.
func (c *Call) Value(name string) any {
	v, _ := c.Args.Get(name)
	return v
}

// Str returns a named argument as text, "" when it is nil or no text.
func (c *Call) Str(name string) string { return c.Args.String(name) }

// Truth reports whether Python takes the named argument as true.
func (c *Call) Truth(name string) bool { return pyfmt.Truth(c.Value(name)) }

// Result is what a state function gives.
type Result struct {
	// Name is the argument name, mostly.
	Name string
	// Result is true, false, or nil for "would be changed" (test=True).
	Result any
	// Changes tells what changed; nil is nothing.
	Changes *value.Map
	// Comment is told to the user.
	Comment string
	// Warnings are told beside the comment.
	Warnings []string
	// Extra holds further keys of the result, such as pchanges or skip_watch; nil
	// is none.
	Extra *value.Map
}

// Modules are the execution functions that unless, onlyif, check_cmd and slots call.
type Modules interface {
	// Call runs one. The error of an unknown function is [ErrNoFunction].
	Call(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error)
	// Retcode is like Call for a function that also sets an exit code, as
	// Salt's __context__["retcode"].
	Retcode(ctx context.Context, fun string, args []any, kwargs *value.Map) (v any, retcode int, err error)
}

// Source is where SLS files and top files come from.
type Source interface {
	// Envs are the environments there are.
	Envs(ctx context.Context) ([]string, error)
	// Files are the paths of all files of an environment, slashes between parts.
	Files(ctx context.Context, saltenv string) ([]string, error)
	// Open reads a file. One that is not there is an error that is
	// [io/fs.ErrNotExist].
	Open(ctx context.Context, saltenv, path string) ([]byte, error)
	// Tops are what the master's tops say besides the top file: environment →
	// list of SLS names; nil for nothing.
	Tops(ctx context.Context) (*value.Map, error)
}

// Template is one SLS to render.
type Template struct {
	Data    []byte
	Saltenv string
	// SLS is the dotted name, "" for a top file; Path is where in the environment
	// the file lies.
	SLS, Path string
}

// Renderer turns an SLS or a top file into data. Its errors are worded as Salt words
// them after "Rendering SLS 'env:sls' failed: ".
type Renderer interface {
	Render(ctx context.Context, t Template) (any, error)
}
