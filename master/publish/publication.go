package publish

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/salt/pyfmt"
)

// publication returns the message for minions and nodes.
func (s *Service) publication(j *Job) (wire.Publication, error) {
	p := wire.Publication{
		Fun: j.load.Fun, Arg: j.load.Arg, Tgt: j.load.Tgt, JID: j.JID, Ret: j.load.Ret,
		TgtType: j.load.TgtType, User: j.user(), Extra: wire.NewMap(),
	}
	j.trace.Put(p.Extra)
	p.MasterID = s.o.Config.MasterID
	if id := j.extra.String("master_id"); id != "" {
		p.MasterID = id
	}
	if d := j.extra.String("delimiter"); d != "" && d != ":" {
		p.Delimiter = d
	}
	if !j.until.IsZero() {
		p.Extra.Set(publications.QueueField, j.until.Unix())
	}
	if n := j.part(); n > 0 {
		p.Extra.Set(returners.PartField, n)
	}
	if s.o.Config.OrderMasters || len(j.Nodes) > 0 {
		p.To, p.HasTo = int64(s.o.Config.Timeout/time.Second), true
		if j.load.HasTo {
			p.To = j.load.To
		}
	}
	var err error
	for name, field := range map[string]*wire.Raw{
		"metadata": &p.Metadata, "module_executors": &p.ModuleExecutors, "executor_opts": &p.ExecutorOpts,
		"ret_kwargs": &p.RetKwargs,
	} {
		v, ok := j.extra.Get(name)
		if !ok || v == nil {
			continue
		}
		if *field, err = wire.Encode(v); err != nil {
			return p, fmt.Errorf("encode %s of job %s: %w", name, j.JID, err)
		}
	}
	if v, ok := j.extra.Get("start_event"); ok {
		p.StartEvent = pyfmt.Truth(v)
	}
	if len(j.rules) > 0 || s.o.Config.OrderMasters {
		// Set without known nodes too: a new node must not run the job unchecked.
		if p.AuthList, err = wire.Encode(append([]any{}, j.rules...)); err != nil {
			return p, fmt.Errorf("encode auth_list of job %s: %w", j.JID, err)
		}
	}
	p.RetConfig, p.ID = j.extra.String("ret_config"), j.extra.String("id")
	if s.o.Tops != nil {
		p.Extra.Set(jobfields.TopsField, s.o.Tops.Names())
	}
	if err := s.o.Signatures.SignJob(&p, j.extra, j.fromAbove); err != nil || j.list == nil {
		return p, err
	}
	return jobfields.Narrow(p, *j.list)
}

// send publishes a stored job. Afterwards it reports changes of presence to the engine and, with
// early, the returns stored before.
func (s *Service) send(ctx context.Context, x *start, early bool) error {
	j := x.job
	s.aim(j)
	_, span := s.span(ctx, "salt.pub.send", j.JID)
	var err error
	if j.shared == nil {
		err = s.o.Publications.Send(x.pub, j.topics(s.o.Config.OrderMasters), s.allBut(j.Spared))
	}
	span.End(err)
	s.o.Traces.Published(j.JID, s.o.Now())
	switch {
	case err != nil:
		err = fmt.Errorf("publish job %s: %w", j.JID, err)
	case j.shared == nil && s.o.Publications.Published(j.partName()):
		s.o.Jobs.Published(j.partName())
	}
	s.o.Peers.LookAgain(x.spec)
	if early {
		ctx, cancel := engine.WriteContext()
		defer cancel()
		if err := s.o.Accounts.CountStored(ctx, j.JID); err != nil {
			s.o.Log.Error("early returns of a job not counted", "jid", j.JID, "err", err)
		}
	}
	return err
}

// allBut selects all subscribers except nodes.
func (s *Service) allBut(nodes []string) *zmtp.Choice {
	if len(nodes) == 0 {
		return nil
	}
	return &zmtp.Choice{IDs: s.o.Policy.Conns(nodes), But: true}
}
