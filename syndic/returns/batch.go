package returns

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// batch builds one `_syndic_return` (Salt wire reference §9.2): one entry per job, with the job's
// load in its first.
type batch struct {
	s       *Handover
	jobs    []*entry
	byJID   map[string]*entry
	returns int
	body    Body
}

// entry holds the returns of one job.
type entry struct {
	jid      string
	fun      wire.Raw
	out      string
	masterID string
	returns  *wire.Map
}

func (s *Handover) batch() *batch { return &batch{s: s, body: s.body(), byJID: map[string]*entry{}} }

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
	e := b.byJID[it.JID]
	if e == nil {
		e = &entry{jid: it.JID, returns: wire.NewMap()}
		b.byJID[it.JID] = e
		b.jobs = append(b.jobs, e)
	}
	e.add(it.ID, ret, it.Payload, b.body)
	b.returns++
	return nil
}

// count returns the number of returns by jid.
func (b *batch) count() map[string]int {
	n := make(map[string]int, len(b.jobs))
	for _, e := range b.jobs {
		n[e.jid] = e.returns.Len()
	}
	return n
}

func (e *entry) add(id string, ret wire.Return, full wire.Raw, b Body) {
	if e.fun == nil {
		e.fun = ret.Fun
	}
	if ret.Out != "" {
		e.out = ret.Out
	}
	if ret.MasterID != "" {
		e.masterID = ret.MasterID
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
	loads := make([]any, 0, len(b.jobs))
	for _, e := range b.jobs {
		var load any = wire.NewMap()
		if !b.s.loaded.Contains(e.jid) {
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
