package saltcall

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/modules/state"
	_ "github.com/momtree/mom/salt/modules/state" // templates call them
)

// Pillars compiles pillars by the options of one minion. It implements minion.Pillars.
type Pillars struct {
	minion *config.Minion
	master *config.Master
	log    *slog.Logger
}

// NewPillars reads the options. The error names what is wrong with them.
func NewPillars(conf *config.Minion, log *slog.Logger) (*Pillars, error) {
	master, err := conf.PillarMaster()
	if err != nil {
		return nil, err
	}
	return &Pillars{minion: conf, master: master, log: log}, nil
}

// Compile returns the pillar of the minion. Templates call the execution modules of the
// minion, as in Salt. What could not be rendered is under _errors.
func (p *Pillars) Compile(ctx context.Context, env modules.Env, o modules.PillarOptions) (*wire.Map, error) {
	engines := pillar.Engines{Config: p.master, Log: p.log}
	c, err := pillar.New(pillar.Options{
		Config: p.master, Renderer: engines.New, Decrypter: engines.SecretKeys(), Functions: state.Functions(env, ""), Log: p.log,
	})
	if err != nil {
		return nil, err
	}
	r := pillar.Request{
		ID: p.minion.ID, Grains: env.Grains(), Override: o.Override, Passing: true, Fresh: true,
		Saltenv: o.Saltenv, Pillarenv: o.Pillarenv,
	}
	if r.Saltenv == "" {
		r.Saltenv, _ = env.Option("saltenv").(string)
	}
	if r.Pillarenv == "" {
		r.Pillarenv, _ = env.Option("pillarenv").(string)
	}
	out, err := c.Compile(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("pillar: %w", err)
	}
	return out, nil
}
