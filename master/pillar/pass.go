package pillar

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/value"
)

// pass is the compilation of one pillar.
type pass struct {
	c       *Compiler
	r       Request
	files   Files
	merge   merger
	env     string     // the pillarenv that counts; "": none
	saltenv string     // that of the request, or of the master; "": none
	pillar  *value.Map // visible to templates and targets: with ext_pillar_first that of the sources
	errors  []string
	ignored map[string]map[string]bool // SLS with ignore_missing, by environment
	seen    *reading
	log     *slog.Logger
	depth   int  // how many others it is compiled within
	git     bool // for a source with its own files: no sources, other error texts
}

// begin returns a pass for a request over the master's own files.
func (c *Compiler) begin(r Request) *pass {
	p := &pass{
		c: c, r: r, merge: merger{c.cfg.PillarSourceMergingStrategy, c.cfg.PillarMergeLists},
		env: r.Pillarenv, saltenv: r.Saltenv, ignored: map[string]map[string]bool{},
		seen: newReading(), log: c.log.With("minion", r.ID),
	}
	if p.saltenv == "" {
		p.saltenv = c.cfg.Saltenv
	}
	if p.env == "" {
		if c.cfg.PillarenvFromSaltenv {
			p.env = r.Saltenv
		} else {
			p.env = c.cfg.Pillarenv
		}
	}
	p.files = c.roots.For(firstOf(p.env, p.saltenv, base))
	return p
}

const base = "base"

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// fault adds an entry to _errors. The log also gets more, which the minion must not see.
func (p *pass) fault(text string, more ...any) {
	p.errors = append(p.errors, text)
	p.log.Error("Pillar render error: "+text, more...) //nolint:sloglint // Salt's text
}

// run compiles in Salt's order, which decides the precedence of values.
func (p *pass) run(ctx context.Context) *value.Map {
	demand := p.checkDemand()
	top, topErrors := p.top(ctx)
	var out *value.Map
	switch {
	case p.git:
		out = p.render(ctx, p.matches(top))
	case p.c.cfg.ExtPillarFirst:
		p.pillar = p.external(ctx, p.r.Override.Clone(), demand)
		out = p.merge.merge(p.pillar, p.render(ctx, p.matches(top)))
	default:
		out = p.external(ctx, p.render(ctx, p.matches(top)), demand)
	}
	p.errors = append(p.errors, topErrors...)
	if p.git {
		return out
	}
	if p.c.cfg.PillarOpts {
		out.Set("master", p.opts())
	}
	if p.r.Override.Len() > 0 {
		out = p.merge.merge(out, p.r.Override)
	}
	p.decrypt(ctx, out)
	if err := ctx.Err(); err != nil {
		// The pass timed out: return an error and no partial pillar.
		p.fault(p.c.late(ctx))
		//mutant:pillar-half-is-refused
		out = value.NewMap()
	}
	if len(p.errors) > 0 {
		list := make([]any, len(p.errors))
		for i, e := range p.errors {
			list[i] = e
		}
		out.Set("_errors", list)
	}
	return out
}

// opts returns the options that templates see: the master's, without secrets, adapted to this
// minion.
func (p *pass) opts() *value.Map {
	o, _ := Copy(p.c.shown).(*value.Map)
	o.Set("id", p.r.ID)
	o.Set("minion_id", p.r.ID)
	o.Set("pillarenv", textOrNone(p.env))
	o.Set("saltenv", textOrNone(p.saltenv))
	return o
}

func textOrNone(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// match reports whether a target matches the minion.
func (p *pass) match(tgt any, kind string) (bool, error) {
	if kind == "nodegroup" { // an unknown one matches nothing, as in Salt
		if name, ok := tgt.(string); ok && p.c.cfg.Nodegroups[name] == nil {
			return false, nil
		}
	}
	e, err := p.c.targets.parse(tgt, kind)
	if err != nil && kind != "range" && !slices.Contains(target.Kinds(), kind) {
		return false, fmt.Errorf("target %v: %w", tgt, err)
	}
	if err != nil {
		// As in Salt, an invalid target matches nothing, and the other entries are used.
		p.c.log.Error("pillar top file entry ignored: invalid target", "tgt", fmt.Sprint(tgt), "minion", p.r.ID, "err", err)
		return false, nil
	}
	return e.Match(subject{p}), nil
}

// subject is the minion of a pass. Its id is that of the key, whatever the grains say.
type subject struct{ p *pass }

func (s subject) ID() string  { return s.p.r.ID }
func (s subject) Grains() any { return s.p.r.Grains }
func (s subject) Pillar() any {
	if s.p.pillar == nil {
		return nil
	}
	return s.p.pillar
}

var _ target.Subject = subject{}
