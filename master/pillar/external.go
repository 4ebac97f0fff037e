package pillar

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/pillar/ext"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// source is one entry of ext_pillar.
type source struct {
	name string
	conf any
	kind ext.Source
	open ext.Entry // nil: no state between pillars
	err  error     // of the entry; it is in each pillar
}

const malformed = `The "ext_pillar" option is malformed`

// readSources reads ext_pillar and logs the sources that are not available.
func (c *Compiler) readSources() {
	conf := c.cfg.Ordered("ext_pillar")
	if conf == nil {
		conf = wire.Normal(c.cfg.ExtPillar)
	}
	var entries []any
	switch conf := conf.(type) {
	case nil:
		return
	case []any:
		entries = conf
	default:
		c.faults = append(c.faults, malformed)
		c.log.Error(malformed + ": it should be a list of {NAME: ARGUMENTS}; all pillars get this error")
		return
	}
	o := ext.Opening{Config: c.cfg, Log: c.log, Shared: map[string]any{}}
	for i, e := range entries {
		m, ok := e.(*value.Map)
		if !ok || m.Len() == 0 {
			c.faults = append(c.faults, malformed)
			c.log.Error(malformed+": an entry is no {NAME: ARGUMENTS}; all pillars get this error", "entry", i+1)
			continue
		}
		m.Range(func(k, v any) bool {
			s := newSource(fmt.Sprint(k), v)
			if s.err == nil && s.kind.Open != nil {
				if s.open, s.err = s.kind.Open(v, o); s.err != nil {
					s.err = fmt.Errorf("Failed to load ext_pillar %s: %w", s.name, s.err)
				}
			}
			if s.err != nil {
				c.log.Error("invalid ext_pillar source, all pillars fail", "source", s.name, "err", s.err)
			}
			c.sources = append(c.sources, s)
			return true
		})
	}
}

func newSource(name string, conf any) source {
	s := source{name: name, conf: conf}
	kind, ok := ext.Lookup(name)
	if !ok {
		s.err = ext.Unserved(name)
		return s
	}
	if s.kind = kind; kind.Check != nil {
		if err := kind.Check(conf); err != nil {
			s.err = fmt.Errorf("Failed to load ext_pillar %s: %w", name, err)
		}
	}
	return s
}

// maxDemand limits the sources that a minion may request.
const maxDemand = 20

// checkDemand returns the sources that the minion requests. Their arguments come from the minion,
// so only sources whose arguments grant no power over the master are allowed, whatever the
// configuration says.
func (p *pass) checkDemand() (more []source) {
	if p.r.Ext == nil {
		return nil
	}
	m, isMap := p.r.Ext.(*value.Map)
	if !isMap {
		p.fault("On-demand pillar is not formatted as a dictionary")
		return nil
	}
	//mutant:pillar-on-demand-is-short
	if m.Len() > maxDemand {
		p.fault(fmt.Sprintf("On-demand pillar asks for %d sources; it may ask for %d", m.Len(), maxDemand))
		return nil
	}
	for _, k := range m.Keys() {
		name := fmt.Sprintf("%.100s", fmt.Sprint(k)) // limited because it is logged
		kind, here := ext.Lookup(name)
		switch {
		case !slices.Contains(p.c.cfg.OnDemandExtPillar, name):
			p.fault(fmt.Sprintf("The ext_pillar module %s is not allowed for on-demand pillar data (on_demand_ext_pillar)", name))
		case !here:
			p.fault(ext.Unserved(name).Error())
		//mutant:pillar-on-demand-has-no-power
		case !kind.OnDemand:
			p.fault(fmt.Sprintf("The ext_pillar module %s takes no arguments from minions: they would act with the rights of the master", name))
		default:
			v, _ := m.GetKey(k)
			more = append(more, newSource(name, v))
		}
	}
	return more
}

// external merges the results of the sources into a pillar.
func (p *pass) external(ctx context.Context, pillar *value.Map, demand []source) *value.Map {
	if pillar == nil {
		pillar = value.NewMap()
	}
	for _, f := range p.c.faults {
		p.fault(f)
	}
	all := slices.Concat(p.c.sources, demand)
	if len(all) > 0 && p.r.Override.Len() > 0 {
		pillar = p.merge.merge(pillar, p.r.Override)
	}
	for _, s := range all {
		if s.err != nil {
			p.errors = append(p.errors, s.err.Error()) // logged at the start
			p.seen.unfit("a source fails")
			continue
		}
		if ctx.Err() != nil {
			return pillar
		}
		if !s.kind.Steady {
			p.seen.unfit("ext_pillar " + s.name)
		}
		seen, _ := Copy(pillar).(*value.Map)
		load := s.kind.Load
		if s.open != nil {
			load = s.open.Load
		}
		got, err := load(ctx, &ext.Call{
			ID: p.r.ID, Grains: p.r.Grains, Pillar: seen, Conf: Copy(s.conf), Saltenv: p.saltenv, Pillarenv: p.env,
			Config: p.c.cfg, Host: host{p}, Log: p.log,
		})
		switch {
		case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
			p.fault(fmt.Sprintf("Failed to load ext_pillar %s: %s", s.name, p.c.late(ctx)))
		case err != nil:
			p.fault(fmt.Sprintf("Failed to load ext_pillar %s: %v", s.name, err))
		case got.Len() > 0:
			pillar = p.merge.merge(pillar, got)
		}
	}
	return pillar
}

// Run runs the background work of the sources until ctx ends.
func (c *Compiler) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, s := range c.sources {
		if s.err == nil && s.open != nil {
			wg.Go(func() { s.open.Run(ctx) })
		}
	}
	wg.Wait()
}

// Entries returns the long-lived entries of ext_pillar for a source.
func (c *Compiler) Entries(name string) (out []ext.Entry) {
	for _, s := range c.sources {
		if s.err == nil && s.open != nil && s.name == name {
			out = append(out, s.open)
		}
	}
	return out
}

// host implements [ext.Host] for a pass.
type host struct{ p *pass }

func (h host) Match(tgt any, kind string) (bool, error) { return h.p.match(tgt, kind) }

func (h host) Folders(env string) []string {
	if r, ok := h.p.files.(*Roots); ok {
		return r.Folders[env]
	}
	return nil
}

func (h host) Compile(ctx context.Context, env string, f ext.Files, over *value.Map) *value.Map {
	up := h.p
	r := up.r
	r.Override, r.Ext = nil, nil
	p := &pass{
		c: up.c, r: r, files: f, merge: up.merge, env: up.env, saltenv: env, git: true,
		ignored: map[string]map[string]bool{}, seen: newReading(), log: up.log,
	}
	p.r.Saltenv = env
	if p.c.cfg.PillarenvFromSaltenv {
		p.env = env
	}
	p.seen.renders = up.seen.renders // limits hold for the whole pillar
	got := p.run(inPass(ctx, p))
	up.seen.renders = p.seen.renders
	up.errors = append(up.errors, p.errors...)
	return p.merge.merge(over, got)
}

func (h host) Options() *value.Map { return h.p.opts() }

func (h host) Render(ctx context.Context, source []byte, pipe string) (any, error) {
	if pipe == "" {
		pipe = h.p.c.cfg.Renderer
	}
	if err := h.p.allowed(source, pipe); err != nil {
		return nil, err
	}
	return h.p.c.engine.SLS(ctx, render.Template{Source: source, Saltenv: firstOf(h.p.env, base), Vars: h.p.vars(nil)}, pipe)
}

type folderKey struct{}

// folder loads what the templates of a source import.
type folder struct{ files *Roots }

func (f *folder) open(name string) ([]byte, error) {
	return f.files.Open(context.Background(), base, name)
}

func (h host) Text(ctx context.Context, dir, name string, source []byte, vars *value.Map) (string, error) {
	in := &folder{files: &Roots{Disk: h.p.c.roots.Disk, Order: []string{base}, Folders: map[string][]string{base: {dir}}}}
	ctx = context.WithValue(ctx, folderKey{}, in)
	return h.p.c.engine.Text(ctx, render.Template{Source: source, Saltenv: base, Path: path.Clean(strings.TrimPrefix(name, "/")), Vars: vars})
}
