package master

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/bank"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/runners"
)

var (
	_ runners.Keeper     = runnerEnv{}
	_ runners.Banker     = runnerEnv{}
	_ runners.Firer      = runnerEnv{}
	_ runners.Listener   = runnerEnv{}
	_ runners.Configured = runnerEnv{}
	_ runners.Tokens     = runnerEnv{}
	_ runners.Master     = runnerEnv{}
)

// Known asks the whole tree for what is kept of minions. Node groups and places are those
// of this master.
func (e runnerEnv) Known(ctx context.Context, k runners.Known) (map[string]*wire.Map, map[string]string, error) {
	tgt, kind, err := target.ExpandTarget(k.Tgt, k.TgtType, e.m.cfg.Nodegroups)
	if err == nil {
		tgt, err = target.ExpandPlaces(tgt, kind, e.m.policy.Where)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("target %v: %w", k.Tgt, err)
	}
	d, err := e.m.below.Data(ctx, below.DataQuestion{Tgt: tgt, TgtType: kind, Grains: k.Grains, Pillar: k.Pillar, Mine: k.Mine, Names: k.Names, Clear: k.Clear})
	return d.Minions, d.Away, err
}

// Bank is in a folder of its own, apart from what the master keeps for itself.
func (e runnerEnv) Bank() runners.Bank {
	return e.m.bank
}

// openBank makes the banks of runners known.
func (m *Master) openBank() { m.bank = bank.Open(filepath.Join(m.cfg.Cachedir, "banks")) }

// Fire refuses what minions may not say either: a caller of runners need not be trusted with
// the master's own word.
func (e runnerEnv) Fire(tag string, data *wire.Map) error {
	if !ownership.MayFire("", tag) {
		return fmt.Errorf("event.send: %q is a tag by which masters and minions speak of what they know; choose another, such as my/event", tag)
	}
	return e.m.bus.Fire(tag, data)
}

// heardWaiting is how many events may wait for a runner that listens.
const heardWaiting = 4096

// Listen gives the events of this master's bus.
func (e runnerEnv) Listen(ctx context.Context, heard func(tag string, data *wire.Map) bool) error {
	sub := e.m.bus.Subscribe(bus.SubscribeOptions{Size: heardWaiting})
	defer sub.Close()
	for {
		select {
		case ev, ok := <-sub.C():
			if !ok {
				return errors.New("events came faster than they were read; name the tags more closely")
			}
			data, err := ev.Map()
			if err != nil {
				return fmt.Errorf("event %s: %w", ev.Tag, err)
			}
			if !data.Has("_stamp") {
				data.Set("_stamp", ev.Stamp.UTC().Format("2006-01-02T15:04:05.000000"))
			}
			if !heard(ev.Tag, data) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Endless is false: nobody could stop it.
func (runnerEnv) Endless() bool { return false }

// Options are those of the configuration, without secrets.
func (e runnerEnv) Options() map[string]any { return e.m.cfg.Shown() }

// AtWork gives the runners at work.
func (e runnerEnv) AtWork() []runners.AtWork { return e.m.runners.AtWork() }

// MakeToken makes a token as the command mk_token does.
func (e runnerEnv) MakeToken(ctx context.Context, l runners.Login, life time.Duration) (*wire.Map, error) {
	t, err := e.m.logins.Login(ctx, auth.Credentials{Eauth: l.Eauth, Username: l.Username, Password: l.Password, From: "auth.mk_token"}, life)
	q := access.Asked{Kind: "login", Door: "runner", User: l.Username, Eauth: l.Eauth, Allowed: err == nil}
	if err != nil {
		q.Reason = err.Error()
		e.m.audit.Note(q)
		return nil, fmt.Errorf("auth.mk_token: %w", err)
	}
	q.User = t.Name
	e.m.audit.Note(q)
	return commands.ShownToken(e.m.access.External, t), nil
}

// DeleteToken makes a token worthless.
func (e runnerEnv) DeleteToken(ctx context.Context, id string) (bool, error) {
	err := e.m.logins.Revoke(ctx, id)
	if errors.Is(err, auth.ErrNoToken) {
		return false, nil
	}
	return err == nil, err
}
