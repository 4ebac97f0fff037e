package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/inquiry"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/meters"
)

// handler serves one encrypted command. Its value is encrypted for the sender;
// an error is logged and answered by an empty text, as Salt does.
type handler func(ctx context.Context, r *request) (any, error)

// table lists the encrypted commands (Salt wire reference §8.2).
func (m *Master) table() map[string]handler {
	t := map[string]handler{
		"_return":        m.onReturn,
		"_syndic_return": m.onSyndicReturn,
		"_minion_event":  m.onMinionEvent,
		"_pillar":        m.onPillar,
		"_master_opts":   m.onMasterOpts,
		"_presence":      m.onPresence,
		"_missed":        m.onMissed,
		sibling.Command:  m.onSiblings,
		inquiry.Command:  m.onAnswer,
		"revoke_auth":    m.onRevokeAuth,
	}
	for cmd, answer := range refusals {
		t[cmd] = m.refuseCommand(cmd, answer)
	}
	return t
}

// counted puts a counter around each handler.
func (m *Master) counted(table map[string]handler) map[string]handler {
	out := make(map[string]handler, len(table))
	m.served = make(meters.Commands, len(table))
	for cmd, h := range table {
		c := m.served.Add(cmd)
		out[cmd] = func(ctx context.Context, r *request) (any, error) {
			begun := time.Now()
			v, err := h(ctx, r)
			c.Done(begun, err)
			return v, err
		}
	}
	return out
}

func unknownCommand(context.Context, *request) (any, error) { return wire.NewMap(), nil }

// onMasterOpts serves `_master_opts`: what a minion must know of its master to
// render states. There are no states here yet, so these are Salt's defaults.
func (m *Master) onMasterOpts(_ context.Context, r *request) (any, error) {
	d, err := wire.DecodeMap(r.load)
	if err != nil {
		return nil, fmt.Errorf("master options for %q: %w", r.id, err)
	}
	out := wire.NewMap("file_roots", wire.NewMap("base", []any{}), "top_file_merging_strategy", "merge",
		"env_order", []any{}, "default_top", "base")
	if d.Bool("env_only") {
		return out, nil
	}
	groups := wire.NewMap()
	for _, name := range sortedKeys(m.cfg.Nodegroups) {
		groups.Set(name, m.cfg.Nodegroups[name])
	}
	for _, kv := range []struct {
		k string
		v any
	}{
		{"renderer", "jinja|yaml"},
		{"failhard", false},
		{"state_top", "top.sls"},
		{"state_top_saltenv", nil},
		{"nodegroups", groups},
		{"state_auto_order", true},
		{"state_events", false},
		{"state_aggregate", false},
		{"jinja_env", wire.NewMap()},
		{"jinja_sls_env", wire.NewMap()},
		{"jinja_lstrip_blocks", false},
		{"jinja_trim_blocks", false},
	} {
		out.Set(kv.k, kv.v)
	}
	return out, nil
}

// onRevokeAuth serves `revoke_auth`: a minion gives up its own key.
func (m *Master) onRevokeAuth(_ context.Context, r *request) (any, error) {
	if !r.tokOK {
		return wire.NewMap(), nil
	}
	if !m.cfg.AllowMinionKeyRevoke {
		return nil, errors.New("revoke_auth is off: allow_minion_key_revoke is False")
	}
	done, err := m.keys.DeleteIn(keys.Selection{keys.Accepted: {r.id}})
	if err = errors.Join(err, m.tellKeys("delete", done)); err != nil {
		return nil, fmt.Errorf("revoke the key of %s: %w", r.id, err)
	}
	return true, nil
}
