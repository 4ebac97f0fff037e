package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/server"
)

// In a cluster of tops, the top where a job starts passes it to the others after its commit and
// before it publishes. They store it and open its account, and the nodes report to all of them
// (jobfields.TopsField). See docs/decisions/2026-11-28-several-tops.md.

// Tops are the tops of a cluster.
type Tops interface {
	// Names returns the ids of all tops, including this one.
	Names() []string
	// Share sends a request to the other tops. It returns when all connected ones have answered, or
	// after a bound.
	Share(ctx context.Context, jid string, load *wire.Map)
	// Admits returns an error if id is not another top of the cluster.
	Admits(id string) error
}

// ShareCommand is the request that passes a job to another top.
const ShareCommand = "_cluster_job"

// standBy is how long a top waits for the reports of nodes before it publishes a job of another top
// itself. Nodes report within milliseconds.
const standBy = 1500 * time.Millisecond

// shared is what another top passes of a job.
type shared struct {
	load   wire.PublishLoad
	stored wire.Raw // for the job store, masked
	pub    wire.Publication
	eauth  string
}

func init() {
	commands.Register(server.Command{
		Name: ShareCommand, Who: server.Proven, Whole: true,
		Args: []string{"load", "stored", "pub", "eauth"},
		Doc: `
Another top of the cluster passes a job that it is about to publish; our own addition.

load, stored
    The job, and its load for the job store.
pub
    Its publication, which this top sends to nodes that have not reported in time.
eauth
    The login service of the user.
`,
	}, func(s *Service) server.Handler { return s.onShared })
}

// share passes a stored job to the other tops.
func (s *Service) share(ctx context.Context, x *start, stored wire.Raw) {
	if s.o.Tops == nil || x.job.shared != nil {
		return
	}
	load, err := x.job.shareLoad(x.pub, stored)
	if err != nil { // it was encoded before
		s.o.Log.Error("job not passed to the other tops", "jid", x.job.JID, "err", err)
		return
	}
	//mutant:tops-share-jobs
	s.o.Tops.Share(ctx, x.job.JID, load)
}

// shareLoad encodes a job for the other tops, without credentials.
func (j *Job) shareLoad(pub wire.Publication, stored wire.Raw) (*wire.Map, error) {
	kwargs, err := wire.Encode(j.extra)
	if err != nil {
		return nil, fmt.Errorf("encode kwargs of job %s: %w", j.JID, err)
	}
	load, err := wire.PublishLoad{
		Tgt: j.load.Tgt, TgtType: j.load.TgtType, Fun: j.load.Fun, Arg: j.load.Arg, Ret: j.load.Ret, Timeout: j.load.Timeout,
		JID: j.JID, User: j.user(), To: j.load.To, HasTo: j.load.HasTo, Kwargs: kwargs,
	}.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode job %s: %w", j.JID, err)
	}
	p, err := pub.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode publication %s: %w", j.JID, err)
	}
	return wire.NewMap("cmd", ShareCommand, "load", wire.Raw(load), "stored", stored, "pub", wire.Raw(p), "eauth", j.eauth), nil
}

// onShared serves the request: it stores a job of another top and opens its account. It does not
// publish the job.
func (s *Service) onShared(ctx context.Context, r *server.Request) (any, error) {
	if s.o.Tops == nil {
		return wire.NewMap("error", "this master has no cluster_peers"), nil
	}
	//mutant:only-tops-share-jobs
	if err := s.o.Tops.Admits(r.ID); err != nil {
		return wire.NewMap("error", err.Error()), nil
	}
	sh, err := readShared(r.Load)
	if err == nil {
		err = s.startShared(ctx, sh)
	}
	if err != nil {
		s.o.Failing("job of another top not stored", err, "jid", sh.load.JID, "master", r.ID)
		answer := wire.NewMap("error", err.Error())
		if errors.Is(err, ErrNotNow) {
			answer.Set("later", true) // the other top passes it again
		}
		return answer, nil
	}
	return wire.NewMap("taken", true), nil
}

func readShared(load wire.Raw) (sh shared, err error) {
	err = wire.Fields(load, func(key string, val wire.Raw) (err error) {
		switch key {
		case "load":
			sh.load, err = wire.ParsePublishLoad(val)
		case "stored":
			sh.stored = slices.Clone(val)
		case "pub":
			sh.pub, err = wire.ParsePublication(val)
		case "eauth":
			sh.eauth, err = wire.Str(val)
		}
		return err
	})
	switch {
	case err != nil:
		return sh, fmt.Errorf("read job of another top: %w", err)
	case sh.load.JID == "" || sh.load.JID != sh.pub.JID || !wire.IsMap(sh.stored):
		return sh, fmt.Errorf("read job %s of another top: %w: load, publication and stored load do not belong together", sh.load.JID, wire.ErrType)
	}
	return sh, nil
}

// startShared opens the account of a job that another top publishes.
func (s *Service) startShared(ctx context.Context, sh shared) error {
	j, err := s.Read(sh.load, true)
	if err != nil {
		return err
	}
	j.shared, j.eauth, j.until = &sh, sh.eauth, time.Time{} // the other top keeps queued jobs
	defer s.locks.Lock(j.JID)()
	if err := s.checkSameJob(ctx, j); err != nil {
		return err
	}
	if err := s.Start(ctx, j); err != nil {
		return NotNow(err)
	}
	return nil
}

// answerersHere returns the minions of this master that must answer. Those of a shared job answer
// the top that publishes it.
func (j *Job) answerersHere() []string {
	if j.shared != nil {
		return nil
	}
	return j.Answerers()
}

// TakeOver carries out [engine.TakeOver]: it publishes a job of another top to the nodes that have
// not reported it. It blocks.
func (s *Service) TakeOver(e engine.TakeOver) error {
	to := &zmtp.Choice{IDs: s.o.Policy.Conns(e.Nodes)}
	for _, r := range s.o.Publications.Kept(e.JID) {
		if r.Published {
			continue
		}
		if len(e.Nodes) > 0 {
			p, err := wire.ParsePublication(r.Pub)
			if err == nil {
				err = s.o.Publications.Send(p, r.Topics, to)
			}
			if err != nil {
				return fmt.Errorf("publish job %s of another top: %w", e.JID, err)
			}
			s.o.Log.Warn("job of another top published to nodes without a report", "jid", e.JID, "count", len(e.Nodes), "node", e.Nodes[0])
		}
		if s.o.Publications.Published(r.Name()) {
			s.o.Jobs.Published(r.Name())
		}
	}
	return nil
}
