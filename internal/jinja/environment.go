package jinja

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
)

// Filter is v|name(args).
type Filter func(r *Run, v any, a *Args) any

// Test is "v is name(args)".
type Test func(r *Run, v any, a *Args) bool

// Limits bound one run; each has to be above zero.
type Limits struct {
	Output int // bytes of the text, and of one string; of all strings that are built, 16 times that
	Values int // elements of one list or dict
	Depth  int // macros, includes, imports and recursive loops inside each other
	Steps  int // rounds of loops and calls
}

// DefaultLimits are ample for files that people write.
func DefaultLimits() Limits {
	return Limits{Output: 64 << 20, Values: 1 << 20, Depth: 100, Steps: 10_000_000}
}

// Environment is how templates are written and what they can use. It must not be
// changed once a template was parsed.
type Environment struct {
	Syntax         Syntax
	AllowUndefined bool // what is not there prints as nothing
	Filters        map[string]Filter
	Tests          map[string]Test
	Globals        map[string]any // below the variables of a run
	Limits         Limits
}

// NewEnvironment has Jinja's own filters, tests and globals.
func NewEnvironment() *Environment {
	return &Environment{
		Filters: maps.Clone(builtinFilters), Tests: maps.Clone(builtinTests),
		Globals: maps.Clone(builtinGlobals), Limits: DefaultLimits(),
	}
}

// Template is a parsed file. It is safe for concurrent use.
type Template struct {
	env    *Environment
	name   string
	source string
	body   []stmt
	blocks map[string]*blockNode
}

// Parse reads a template; name is what errors call it, "" for the first of a run.
func (e *Environment) Parse(name, source string) (t *Template, err error) {
	defer func() {
		var fault *Error
		if errors.As(err, &fault) {
			fault.Name, fault.Source = name, source
			if fault.Line == 0 {
				fault.Line = 1
			}
		}
	}()
	defer catch(&err)
	p := newParser(source, e.Syntax.filled())
	t = &Template{env: e, name: name, source: source}
	t.body = p.subparse(nil)
	t.blocks = p.blocks
	e.checkNames(t.body, false)
	return t, nil
}

// checkNames refuses filters and tests that are not there; below an if Jinja leaves
// that to the run.
func (e *Environment) checkNames(body []stmt, soft bool) {
	for _, s := range body {
		n, isIf := s.(*ifNode)
		if isIf {
			for _, b := range append(slices.Clone(n.bodies), n.els) {
				e.checkNames(b, true)
			}
			continue
		}
		if _, output := s.(*outputNode); output && soft {
			continue
		}
		if _, assign := s.(*setNode); assign && soft {
			continue
		}
		soft := map[any]bool{}
		walkStmt(s, func(node any) {
			switch n := node.(type) {
			case *condNode:
				for _, x := range []expr{n.test, n.yes, n.no} {
					walkExpr(x, func(node any) { soft[node] = true })
				}
			case *ifNode:
				walkStmt(n, func(node any) { soft[node] = true })
			case *filterNode:
				if e.Filters[n.name] == nil && !soft[n] {
					panic(&Error{Kind: KindSyntax, Text: "No filter named " + Repr(n.name) + ".", Line: n.at()})
				}
			case *testNode:
				if e.Tests[n.name] == nil && !soft[n] {
					panic(&Error{Kind: KindSyntax, Text: "No test named " + Repr(n.name) + ".", Line: n.at()})
				}
			}
		})
	}
}

// Source is a file that a template imports.
type Source struct {
	Text string
	File string // what errors call it
}

// Start is what one run is given.
type Start struct {
	// Vars are the variables of the template. Templates imported without context see
	// them too, as they are in [Run.Global].
	Vars map[string]any
	// Load finds what a template imports; a file that is not there is an error that is
	// fs.ErrNotExist. nil finds nothing.
	Load func(r *Run, name string) (Source, error)
	// Parse reads what was loaded; nil takes Environment.Parse.
	Parse func(name, source string) (*Template, error)
	// Data is for functions of the caller.
	Data any
}

// Run is one rendering. It is not safe for concurrent use.
type Run struct {
	// Data is that of [Start].
	Data any

	ctx     context.Context
	env     *Environment
	start   Start
	limits  Limits
	globals map[string]any

	frame   *frame
	ctxt    *scopeRoot
	loaded  map[string]*Template
	modules map[string]*Module
	depth   int
	steps   int
	charged int
}

// frame is a piece of template code that is being run: a file's top level or a macro.
type frame struct {
	tmpl  *Template
	line  int
	outer *frame // of a block: the frame that a traceback names instead
}

// Context is the context of the run.
func (r *Run) Context() context.Context { return r.ctx }

// Global is a variable as templates imported without context see it.
func (r *Run) Global(name string) any { return r.globals[name] }

// SetGlobal changes it.
func (r *Run) SetGlobal(name string, v any) { r.globals[name] = v }

// Render runs the template.
func (t *Template) Render(ctx context.Context, s Start) (text string, err error) {
	r := &Run{
		Data: s.Data, ctx: ctx, env: t.env, start: s, limits: t.env.Limits,
		globals: maps.Clone(s.Vars), loaded: map[string]*Template{}, modules: map[string]*Module{},
	}
	if r.globals == nil {
		r.globals = map[string]any{}
	}
	defer func() {
		var fault *Error
		if errors.As(err, &fault) {
			r.place(fault)
		}
	}()
	defer catch(&err)
	if err := ctx.Err(); err != nil {
		Throw(err)
	}
	var out output
	r.template(t, newRoot(t, s.Vars), nil, &out)
	return out.String(), nil
}

// place tells a fault where it arose, unless it knows.
func (r *Run) place(fault *Error) {
	f := r.frame
	for f != nil && f.outer != nil {
		f = f.outer
	}
	if fault.Line == 0 && f != nil {
		fault.Line, fault.Name, fault.Source = f.line, f.tmpl.name, f.tmpl.source
	}
}

// step counts a round or a call.
func (r *Run) step() {
	if r.steps++; r.steps > r.limits.Steps {
		throwKind(KindLimit, "the template takes more than %d steps", r.limits.Steps)
	}
	if r.steps&0xff == 0 {
		if err := r.ctx.Err(); err != nil {
			Throw(err)
		}
	}
}

// charge counts bytes of a string that is built.
func (r *Run) charge(n int) {
	if n > r.limits.Output {
		throwKind(KindLimit, "a text of %d bytes is more than %d", n, r.limits.Output)
	}
	if r.charged += n; r.charged > 16*r.limits.Output {
		throwKind(KindLimit, "the template builds more than %d bytes of text", 16*r.limits.Output)
	}
	r.steps += n >> 12
}

// Charge counts bytes of a string that a filter builds, and fails the run when there
// are too many.
func (r *Run) Charge(n int) { r.charge(n) }

// room counts the elements of a list or dict that is built.
func (r *Run) room(n int) {
	if n > r.limits.Values {
		throwKind(KindLimit, "a list or dict of %d elements is more than %d", n, r.limits.Values)
	}
	if r.steps += n >> 4; r.steps > r.limits.Steps {
		throwKind(KindLimit, "the template takes more than %d steps", r.limits.Steps)
	}
}

// nest goes one level deeper; the function it gives comes back.
func (r *Run) nest() func() {
	if r.depth++; r.depth > r.limits.Depth {
		throwKind(KindLimit, "macros, includes and imports are nested more than %d deep", r.limits.Depth)
	}
	return func() { r.depth-- }
}

// load finds and parses a template by name, once a run.
func (r *Run) load(name string) *Template {
	if t := r.loaded[name]; t != nil {
		return t
	}
	if r.start.Load == nil {
		Throw(&notFound{name})
	}
	src, err := r.start.Load(r, name)
	if errors.Is(err, fs.ErrNotExist) {
		Throw(&notFound{name})
	}
	if err != nil {
		Throw(err)
	}
	parse := r.start.Parse
	if parse == nil {
		parse = r.env.Parse
	}
	t, err := parse(src.File, src.Text)
	if err != nil {
		Throw(err)
	}
	r.loaded[name] = t
	return t
}

// notFound is Jinja's TemplateNotFound: its text is the name.
type notFound struct{ name string }

func (e *notFound) Error() string { return e.name }
func (e *notFound) Unwrap() error { return fs.ErrNotExist }
