package jinja

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// Filter is v|name(args).
type Filter func(r *Run, v any, a *Args) any

// Test is "v is name(args)".
type Test func(r *Run, v any, a *Args) bool

// Limits bound one run. Each has to be above zero.
type Limits struct {
	Output int // bytes of the text, and of one string
	Values int // elements of one list or dict
	Depth  int // macros, includes, imports and recursive loops inside each other
	Steps  int // iterations, calls, and the work of operations: see [Run.Work]
	Memory int // bytes of everything that the run holds
}

// DefaultLimits returns limits that suit hand-written files.
func DefaultLimits() Limits {
	return Limits{Output: 64 << 20, Values: 1 << 20, Depth: 100, Steps: 10_000_000, Memory: 256 << 20}
}

// Environment holds the syntax of templates, and the functions they can use. It must not
// change after the first template was parsed.
type Environment struct {
	Syntax         Syntax
	AllowUndefined bool // undefined values print as nothing
	Filters        map[string]Filter
	Tests          map[string]Test
	Globals        map[string]any // looked up after the variables of a run
	Limits         Limits
}

// NewEnvironment returns an environment with Jinja's own filters, tests and globals.
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
	size   int // bytes in memory
}

// Parse parses a template. name is its name in errors; "" for the main template of a run.
func (e *Environment) Parse(name, source string) (*Template, error) {
	return e.ParseContext(context.Background(), name, source)
}

// ParseContext is [Environment.Parse] with a context.
func (e *Environment) ParseContext(ctx context.Context, name, source string) (t *Template, err error) {
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
	p.ctx, p.left = ctx, e.Limits.Memory-2*len(source)
	t = &Template{env: e, name: name, source: source}
	t.body = p.subparse(nil)
	t.blocks = p.blocks
	t.size = 2*len(source) + p.tokens*tokenBytes
	e.checkNames(t.body, false)
	return t, nil
}

// checkNames returns an error for unknown filters and tests. Below an if, Jinja reports
// them at run time.
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
	File string // its name in errors
}

// Start is the input of one run.
type Start struct {
	// Vars are the variables of the template. Templates imported without context see them
	// too, with the values in [Run.Global].
	Vars map[string]any
	// Load finds a file that a template imports. The error is fs.ErrNotExist if it does not
	// exist. nil finds nothing.
	Load func(r *Run, name string) (Source, error)
	// Parse parses a loaded file; nil means Environment.ParseContext.
	Parse func(ctx context.Context, name, source string) (*Template, error)
	// End is written after the text of the template.
	End string
	// Name identifies the rendering in errors about limits; may be "".
	Name string
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

	// Accounting of work and memory.
	worked, nextLook, mostWork int64
	deadline                   time.Time
	timed                      bool
	bytes                      int // bytes counted; some may be garbage
	soft                       int // threshold for counting bytes again
	fixed                      int // bytes of parsed templates
	waste                      waste
	outs                       []*output
}

// frame is running template code: a file's top level or a macro.
type frame struct {
	tmpl  *Template
	line  int
	outer *frame // for a block: the frame that a traceback names instead
}

// Context returns the context of the run.
func (r *Run) Context() context.Context { return r.ctx }

// Global returns a variable as templates imported without context see it.
func (r *Run) Global(name string) any { return r.globals[name] }

// SetGlobal sets a variable as templates imported without context see it.
func (r *Run) SetGlobal(name string, v any) { r.globals[name] = v }

func newRun(ctx context.Context, env *Environment, s Start) *Run {
	r := &Run{
		Data: s.Data, ctx: ctx, env: env, start: s, limits: env.Limits,
		loaded: map[string]*Template{}, modules: map[string]*Module{},
	}
	r.deadline, r.timed = ctx.Deadline()
	r.nextLook = lookWork
	r.mostWork = int64(min(r.limits.Steps, 1<<50)) * stepWork
	r.soft = r.limits.Memory / maxKeep
	if outer, ok := ctx.Value(outerKey{}).(*Run); ok {
		r.worked, r.bytes, r.fixed, r.depth = outer.worked, outer.bytes, outer.bytes, outer.depth
		r.nextLook = min(r.worked+lookWork, r.mostWork+1)
	}
	return r
}

// outerKey is the context key of the outer rendering.
type outerKey struct{}

// Nested starts a rendering within this run and returns its context. Its work counts
// towards the limits of this run, and nested renderings share them. Call the returned
// function at its end.
func (r *Run) Nested() (context.Context, func()) {
	back := r.nest()
	return context.WithValue(r.ctx, outerKey{}, r), back
}

// Render runs the template.
func (t *Template) Render(ctx context.Context, s Start) (text string, err error) {
	r := newRun(ctx, t.env, s)
	r.globals = maps.Clone(s.Vars)
	if r.globals == nil {
		r.globals = map[string]any{}
	}
	defer func() {
		var fault *Error
		if errors.As(err, &fault) {
			r.place(fault)
		}
	}()
	defer func() {
		if outer, ok := ctx.Value(outerKey{}).(*Run); ok {
			outer.worked = max(outer.worked, r.worked)
		}
	}()
	defer catch(&err)
	r.look()
	r.keepTemplate(t)
	out := r.output()
	r.outs = append(r.outs, out)
	r.template(t, newRoot(t, s.Vars), nil, out)
	r.write(out, s.End)
	return out.String(), nil
}

// keepTemplate counts a parsed template, which is kept until the end of the run.
func (r *Run) keepTemplate(t *Template) {
	r.Alloc(t.size)
	r.fixed += t.size
}

// place sets the position of an error, unless it has one.
func (r *Run) place(fault *Error) {
	f := r.frame
	for f != nil && f.outer != nil {
		f = f.outer
	}
	if fault.Line == 0 && f != nil {
		fault.Line, fault.Name, fault.Source = f.line, f.tmpl.name, f.tmpl.source
	}
}

// nest enters a deeper level; the returned function leaves it.
func (r *Run) nest() func() {
	//mutant:render-depth
	if r.depth++; r.depth > r.limits.Depth {
		throwKind(KindLimit, "macros, includes and imports are nested more than %d deep", r.limits.Depth)
	}
	return func() { r.depth-- }
}

// load finds and parses a template by name, once per run.
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
		parse = r.env.ParseContext
	}
	r.Alloc(2 * len(src.Text))
	r.Work(len(src.Text))
	t, err := parse(r.ctx, src.File, src.Text)
	if err != nil {
		Throw(err)
	}
	r.keepTemplate(t)
	r.loaded[name] = t
	return t
}

// notFound is Jinja's TemplateNotFound: its text is the name.
type notFound struct{ name string }

func (e *notFound) Error() string { return e.name }
func (e *notFound) Unwrap() error { return fs.ErrNotExist }
