package minion

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/session"
	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/modules"
)

// env is the environment of a function: the minion, with the pillar of the master that sent the
// job. s is nil for a call without a master.
type env struct {
	core *core
	s    *session.Session
}

var _ modules.Env = (*env)(nil)

const cliOption = "__cli"

// Option returns a minion option by name. As in Salt, grains and pillar can be read as options,
// too. __cli is the name of the calling program, as in Salt.
func (e *env) Option(name string) any {
	if name == cliOption {
		if e.core.schedule == nil {
			return "salt-call"
		}
		return "salt-minion"
	}
	v, ok := e.core.cfg.Get(name)
	if !ok {
		return nil
	}
	if b, ok := v.(bounds.Bounds); ok {
		v = b.Settings()
	}
	return wire.Normal(v)
}

// Options returns all options.
func (e *env) Options() *wire.Map {
	out := wire.NewMap()
	for _, name := range optionNames(e.core.cfg) {
		out.Set(name, e.Option(name))
	}
	out.Set(cliOption, e.Option(cliOption))
	return out
}

// optionNames returns the names of all options, known ones and others in the files.
func optionNames(cfg *config.Minion) []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config.Minion]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" && !f.Anonymous {
			names = append(names, name)
		}
	}
	for name := range cfg.Raw {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (e *env) Grains() *wire.Map { return e.core.grains.Get() }

// RefreshGrains collects the grains again. The master learns them from the next pillar request,
// which fire sends at once.
func (e *env) RefreshGrains(ctx context.Context, notify bool) error {
	changed := e.core.grains.Refresh(ctx)
	if !notify || e.s == nil {
		return nil
	}
	e.fireAtDaemon("grains_refresh", wire.NewMap("force_refresh", true))
	if !changed {
		return nil
	}
	return e.refreshPillar(ctx)
}

func (e *env) Fire(ctx context.Context, tag string, data any) error {
	if e.s == nil {
		return fmt.Errorf("fire %s: %w", tag, session.ErrNoMaster)
	}
	return e.s.Fire(ctx, tag, data)
}

// FireAll queues events for several masters on the bus, as Salt's minion does: a master that
// does not answer delays no function.
func (e *env) FireAll(ctx context.Context, tag string, data any) error {
	if len(e.core.sessions.Serving()) < 2 {
		return e.Fire(ctx, tag, data)
	}
	return e.FireLocal("fire_master", wire.NewMap("data", data, "tag", tag, "events", nil, "pretag", nil))
}

// Ask sends a load to the master that sent the job.
func (e *env) Ask(ctx context.Context, load *wire.Map) (any, error) {
	cmd := load.String("cmd")
	if e.s == nil {
		return nil, fmt.Errorf("ask for %s: %w", cmd, session.ErrNoMaster)
	}
	raw, err := e.s.Channel().Request(ctx, load)
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the answer of the master to %s: %w", cmd, err)
	}
	return v, nil
}

// Files returns the files of the master that sent the job, or of file_roots here.
func (e *env) Files() *fileclient.Client {
	o := fileclient.Options{Cachedir: e.core.cfg.Cachedir, HashType: e.core.cfg.HashType, Log: e.core.log}
	if e.s == nil || e.core.cfg.FileClient == "local" {
		o.Source = fileclient.Local{Roots: fileclient.Roots(e.core.cfg.FileRoots), HashType: e.core.cfg.HashType, NoFollow: !e.core.cfg.FileserverFollowsymlinks}
	} else {
		o.Source = fileclient.Master{Asker: e, ID: e.core.cfg.ID}
	}
	return fileclient.New(o)
}

// External returns the programs on this host that are modules.
func (e *env) External() *external.Modules { return e.core.external }

func (e *env) FireLocal(tag string, data any) error { return e.core.fireEvent(tag, data) }

func (e *env) Jobs() modules.JobTable { return e.core.jobs.Table() }

// Masters returns the configured masters. The address is set only for those configured by
// address.
func (e *env) Masters() []modules.MasterStatus {
	up := map[string]bool{}
	for _, s := range e.core.sessions.Serving() {
		up[s.Name()] = s.Up()
	}
	var out []modules.MasterStatus
	for _, name := range e.core.cfg.Master {
		s := modules.MasterStatus{Addr: name, Connected: up[name]}
		if host, _, err := channel.SplitMaster(name, e.core.cfg.MasterPort); err == nil && net.ParseIP(host) != nil {
			s.IP = host
		}
		out = append(out, s)
	}
	return out
}

// PingMaster checks that the master at an address answers.
func (e *env) PingMaster(ctx context.Context, master string) error {
	cfg, err := channel.FromMinion(e.core.cfg, "minion", master)
	if err != nil {
		return err
	}
	cfg.Log, cfg.Now = e.core.log, e.core.now
	ch, err := channel.New(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = ch.Close() }()
	return ch.Ping(ctx)
}

func (e *env) Log() *slog.Logger { return e.core.log }
