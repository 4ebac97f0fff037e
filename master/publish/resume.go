package publish

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// ResumeOptions configures a [Resumer]. All fields are required.
type ResumeOptions struct {
	Jobs         *engine.Engine
	Publications *publications.Service
	Policy       *ownership.Policy
	Peers        *peers.Service
	Keys         *keys.Ring
	Tree         *topology.Tree
	Timeout      time.Duration    // timeout of the jobs
	Extended     bool             // other masters may have extended a job: those above, or other tops
	Grown        func(jid string) // called for a job that has grown, whose files may be stale
	Log          *slog.Logger
}

// Resumer restores the jobs that were open when the master stopped. Minions and nodes get the
// reconnect time that presence grants after a start. It implements [engine.Presence].
type Resumer struct{ o ResumeOptions }

// NewResumer returns a Resumer.
func NewResumer(o ResumeOptions) *Resumer { return &Resumer{o: o} }

// Run restores the jobs and the publications that minions may have missed.
func (s *Resumer) Run(ctx context.Context) {
	jids := s.o.Jobs.Open()
	s.o.Publications.TakeUpQueues(ctx)
	s.jobs(ctx, jids)
	s.o.Publications.TakeUp()
}

// Again stores the end of a closed job again, after its records were dropped while the disk was
// full or unavailable.
func (s *Resumer) Again(ctx context.Context, jid string) error { return s.o.Jobs.EndAgain(ctx, jid, s) }

// jobs restores jobs in parallel: there may be thousands, with ten thousand returns each.
func (s *Resumer) jobs(ctx context.Context, jids []string) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, jid := range jids {
		g.Go(func() error {
			if err := s.job(ctx, jid); err != nil {
				s.o.Log.Error("open job not resumed", "jid", jid, "err", err)
			}
			return nil
		})
	}
	_ = g.Wait() // errors are logged
}

func (s *Resumer) job(ctx context.Context, jid string) error {
	known, err := s.o.Jobs.Restore(ctx, jid, s)
	if err == nil && !known { // the master stopped before the job was stored
		s.o.Publications.Drop(jid)
	}
	return err
}

// knownBehind returns the minions behind a node that a stored job matches, from the node's reports
// since the start or, until it is back, from the previous run, without paths.
func (s *Resumer) knownBehind(node string, load returners.Load) map[string]string {
	expr, _, err := storedTarget(load.Raw)
	if err != nil { // unreadable: no minion is named
		return nil
	}
	below, _ := s.o.Tree.Node(node)
	return s.o.Policy.KnownBehind(below, node, expr)
}

// Grace implements [engine.Presence].
func (s *Resumer) Grace(id string) (engine.Liveness, time.Duration) { return s.o.Peers.Lasting(id) }

// Spec implements [engine.Presence].
func (s *Resumer) Spec(load returners.Load, minions []string) engine.Job {
	spec := engine.Job{JID: load.JID, Timeout: s.o.Timeout}
	if load.Part() > 0 {
		s.o.Grown(load.JID)
	}
	_ = wire.Fields(load.Raw, func(key string, val wire.Raw) error { // a load without fun has no name
		switch key {
		case "fun":
			spec.Fun = wire.FunName(val)
		case "kwargs":
			spec.Queue = s.o.Publications.StillQueued(val)
		}
		return nil
	})
	if s.o.Publications.Unpublished(load.JID) { // minions without presence receive it when they subscribe
		spec.Timeout += publications.Republished
	}
	spec.Minions = s.o.Peers.Minions(minions, func(string) bool { return true })
	for _, id := range s.o.Policy.Nodes() {
		if s.o.Keys.Accepted(id) {
			n := engine.Node{ID: id}
			n.Live, _ = s.o.Peers.Node(id)
			if n.Live == engine.Away { // it had the job and reports when it is back
				n.Live = engine.Up
			}
			if n.Live != engine.Untracked {
				n.Known = func() map[string]string { return s.knownBehind(id, load) }
			}
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	if expr, tgtType, err := storedTarget(load.Raw); err == nil {
		if tgtType != "list" || !s.o.Extended { // see aim
			s.o.Policy.Aimed(load.JID, tgtType, expr)
		}
		if ids, some := target.Among(expr); some && tgtType == "list" {
			spec.Unclaimed = slices.DeleteFunc(ids, s.o.Keys.Accepted)
		}
	}
	s.o.Log.Info("open job resumed", "jid", load.JID, "minions", len(minions))
	return spec
}

// storedTarget parses the target of a stored load.
func storedTarget(load wire.Raw) (expr target.Expr, tgtType string, err error) {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return nil, "", err
	}
	tgt, _ := d.Get("tgt")
	if tgtType = d.String("tgt_type"); tgtType == "" {
		tgtType = "glob"
	}
	expr, err = target.Parse(tgt, tgtType, target.Options{})
	return expr, tgtType, err
}
