package render

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/momtree/mom/internal/process"
	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/value"
)

// parsedTemplates is how many parsed files an engine keeps.
const parsedTemplates = 1024

// Engine renders. It is safe for concurrent use.
type Engine struct {
	opts   Options
	limits Limits
	file   *jinja.Environment // for plain files
	sls    *jinja.Environment // for SLS
	parsed *lru.Cache[parsedKey, *jinja.Template]
}

type parsedKey struct {
	env          *jinja.Environment
	name, source string
}

// New makes an engine. Settings of jinja_env and jinja_sls_env that it does not know
// are an error.
func New(o Options) (*Engine, error) {
	e := &Engine{opts: o, limits: o.Limits.filled()}
	var err error
	if e.file, err = e.environment("jinja_env", o.Env); err != nil {
		return nil, err
	}
	if e.sls, err = e.environment("jinja_sls_env", o.SLSEnv); err != nil {
		return nil, err
	}
	e.parsed, err = lru.New[parsedKey, *jinja.Template](parsedTemplates)
	return e, err
}

func (l Limits) filled() Limits {
	def := func(p *int, n int) {
		if *p <= 0 {
			*p = n
		}
	}
	def(&l.Source, 16<<20)
	def(&l.Output, 64<<20)
	def(&l.Values, 1<<20)
	def(&l.Depth, 100)
	def(&l.Steps, 10_000_000)
	def(&l.Memory, 256<<20)
	return l
}

// environment is Jinja with Salt's additions and what the operator set.
func (e *Engine) environment(option string, set *value.Map) (*jinja.Environment, error) {
	env := jinja.NewEnvironment()
	env.AllowUndefined = e.opts.AllowUndefined
	env.Limits = jinja.Limits{
		Output: e.limits.Output, Values: e.limits.Values, Depth: e.limits.Depth, Steps: e.limits.Steps,
		Memory: e.limits.Memory,
	}
	maps.Copy(env.Filters, saltFilters)
	maps.Copy(env.Tests, saltTests)
	maps.Copy(env.Globals, saltGlobals)
	var fault error
	set.Range(func(k, v any) bool {
		fault = setSyntax(env, option, strings.ToLower(fmt.Sprint(k)), v)
		return fault == nil
	})
	return env, fault
}

func setSyntax(env *jinja.Environment, option, name string, v any) error {
	s := &env.Syntax
	texts := map[string]*string{
		"block_start_string": &s.BlockStart, "block_end_string": &s.BlockEnd,
		"variable_start_string": &s.VariableStart, "variable_end_string": &s.VariableEnd,
		"comment_start_string": &s.CommentStart, "comment_end_string": &s.CommentEnd,
		"line_statement_prefix": &s.LineStatement, "line_comment_prefix": &s.LineComment,
		"newline_sequence": &s.Newline,
	}
	bools := map[string]*bool{
		"trim_blocks": &s.TrimBlocks, "lstrip_blocks": &s.LstripBlocks, "keep_trailing_newline": &s.KeepTrailingLine,
	}
	if p, ok := texts[name]; ok {
		text, isText := v.(string)
		if v == nil && strings.HasSuffix(name, "_prefix") {
			return nil
		}
		if !isText || text == "" {
			return fmt.Errorf("%s: %s has to be a text that is not empty", option, name)
		}
		*p = text
		return nil
	}
	if p, ok := bools[name]; ok {
		b, isBool := v.(bool)
		if !isBool {
			return fmt.Errorf("%s: %s has to be True or False", option, name)
		}
		*p = b
		return nil
	}
	return fmt.Errorf("%s: %s is not known; known are %s", option, name,
		strings.Join(append(sortedNames(texts), sortedNames(bools)...), ", "))
}

// job is one rendering: what the templates' functions need of it.
type job struct {
	ctx    context.Context
	engine *Engine
	t      Template
	isSLS  bool
	vars   map[string]any
}

// Text runs the template as Jinja alone, as file.managed does.
func (e *Engine) Text(ctx context.Context, t Template) (string, error) {
	return e.jinja(ctx, t, t.SLS != "")
}

// jinja renders the source; isSLS tells whether the variable sls and its kin are there.
func (e *Engine) jinja(ctx context.Context, t Template, isSLS bool) (string, error) {
	if len(t.Source) > e.limits.Source {
		return "", e.tooLarge(t)
	}
	source := string(t.Source)
	if i := invalidUTF8(source); i >= 0 {
		return "", &Error{Text: fmt.Sprintf("'utf-8' codec can't decode byte 0x%02x in position %d: invalid start byte", source[i], i)}
	}
	defer process.BeginWork("rendering of " + cmp.Or(nameOf(t), "a template"))()
	env := e.file
	if t.SLS != "" {
		env = e.sls
	}
	j := &job{ctx: ctx, engine: e, t: t, isSLS: isSLS}
	j.vars = j.variables()
	parse := func(ctx context.Context, name, src string) (*jinja.Template, error) {
		return e.parse(ctx, env, name, src)
	}
	tmpl, err := parse(ctx, "", source)
	if err != nil {
		return "", j.fault(err, source)
	}
	end := "" // Jinja drops the last line end, and Salt puts it back.
	if strings.HasSuffix(source, "\n") {
		end = "\n"
	}
	text, err := tmpl.Render(ctx, jinja.Start{Vars: j.vars, Load: j.load, Parse: parse, Data: j, Name: nameOf(t), End: end})
	if err != nil {
		return "", j.fault(err, source)
	}
	return text, nil
}

func (e *Engine) parse(ctx context.Context, env *jinja.Environment, name, src string) (*jinja.Template, error) {
	key := parsedKey{env, name, src}
	if t, ok := e.parsed.Get(key); ok {
		return t, nil
	}
	t, err := env.ParseContext(ctx, name, src)
	if err == nil && len(src) < 1<<20 {
		e.parsed.Add(key, t)
	}
	return t, err
}

// nameOf is what errors of bounds call a template; "" where nobody named it.
func nameOf(t Template) string { return cmp.Or(t.Path, t.SLS) }

// meter counts what is done for a template outside of Jinja; held is what it has already.
func (e *Engine) meter(ctx context.Context, t Template, held int) *jinja.Run {
	r := e.file.Detached(ctx, nameOf(t))
	r.Alloc(held)
	return r
}

func (e *Engine) tooLarge(t Template) error {
	return &Error{Text: fmt.Sprintf("the file has %d bytes, more than the %d that are rendered", len(t.Source), e.limits.Source)}
}

// variables are what the template knows.
func (j *job) variables() map[string]any {
	t := j.t
	vars := map[string]any{}
	put := func(m *value.Map) {
		m.Range(func(k, v any) bool {
			if name, ok := k.(string); ok {
				vars[name] = v
			}
			return true
		})
	}
	for _, name := range []string{"grains", "pillar", "opts"} {
		vars[name] = &value.Map{}
	}
	vars["saltenv"] = t.Saltenv
	if t.Saltenv == "" {
		vars["saltenv"] = "base"
	}
	if j.isSLS {
		vars["sls"] = t.SLS
	}
	put(t.Vars)
	put(t.Defaults)
	put(t.Context)
	if j.isSLS {
		maps.Copy(vars, slsNames(t))
	}
	vars["salt"] = &saltObject{j: j}
	return vars
}

// now is for filters that need the clock; tests may set another.
var now = time.Now
