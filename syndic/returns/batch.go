package returns

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// batch builds one `_syndic_return` (Salt wire reference §9.2): one entry per job and [shared], with
// the job's load in its first.
type batch struct {
	s       *Handover
	entries []*entry
	byKind  map[shared]*entry
	returns int
	body    Body
}

// shared is what an entry says once for all its returns.
type shared struct{ jid, out, masterID string }

// entry holds returns of one job.
type entry struct {
	shared
	fun     wire.Raw
	returns *wire.Map
}

func (s *Handover) batch() *batch { return &batch{s: s, body: s.body(), byKind: map[shared]*entry{}} }

// add adds a row of the outbox. It returns an error if the row can never be sent.
func (b *batch) add(it returners.Item) error {
	if it.Kind != returners.KindReturn {
		return fmt.Errorf("outbox row of kind %q cannot be sent to a parent", it.Kind)
	}
	ret, err := wire.ParseReturn(it.Payload)
	if err != nil {
		return fmt.Errorf("read stored return: %w", err)
	}
	if own := b.s.o.OwnMaster; own != "" && ret.MasterID == own {
		return nil // masters of a cluster know each other's jobs
	}
	kind := shared{it.JID, ret.Out, ret.MasterID}
	e := b.byKind[kind]
	if e == nil {
		e = &entry{shared: kind, returns: wire.NewMap()}
		b.byKind[kind] = e
		b.entries = append(b.entries, e)
	}
	e.add(it.ID, ret, it.Payload, b.body)
	b.returns++
	return nil
}

// count returns the number of returns by jid.
func (b *batch) count() map[string]int {
	n := make(map[string]int, len(b.entries))
	for _, e := range b.entries {
		n[e.jid] += e.returns.Len()
	}
	return n
}

func (e *entry) add(id string, ret wire.Return, full wire.Raw, b Body) {
	if e.fun == nil {
		e.fun = ret.Fun
	}
	r := wire.NewMap("return", ret.Value)
	if ret.RetcodeRaw != nil {
		r.Set("retcode", ret.RetcodeRaw)
	} else {
		r.Set("retcode", ret.Retcode)
	}
	if ret.SuccessRaw != nil {
		r.Set("success", ret.SuccessRaw)
	} else {
		r.Set("success", ret.Retcode == 0)
	}
	if ret.FunArgs != nil {
		r.Set("fun_args", ret.FunArgs)
	} else {
		r.Set("fun_args", []any{})
	}
	trim(r, full, b)
	e.returns.Set(id, r)
}

// load returns the request.
func (b *batch) load(ctx context.Context) (*wire.Map, error) {
	loads := make([]any, 0, len(b.entries))
	loaded := map[string]bool{}
	for _, e := range b.entries {
		var load any = wire.NewMap()
		if !loaded[e.jid] && !b.s.loaded.Contains(e.jid) {
			loaded[e.jid] = true
			l, ok, err := b.s.o.Jobs.GetLoad(ctx, e.jid)
			if err != nil {
				return nil, fmt.Errorf("read load of job %s: %w", e.jid, err)
			}
			if ok && len(l.Raw) > 0 {
				load = l.Raw
			}
		}
		loads = append(loads, e.value(b.s.o.ID, load))
	}
	return wire.NewMap("cmd", "_syndic_return", "load", loads), nil
}

func (e *entry) value(syndicID string, load any) *wire.Map {
	var fun any
	if len(e.fun) > 0 {
		fun = e.fun
	}
	m := wire.NewMap("id", syndicID, "jid", e.jid, "fun", fun, "arg", nil, "tgt", nil, "tgt_type", nil,
		"load", load, "return", e.returns)
	if e.masterID != "" {
		m.Set("master_id", e.masterID)
	}
	if e.out != "" {
		m.Set("out", e.out)
	}
	return m
}
