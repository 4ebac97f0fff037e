package master

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
)

func (m *Master) openStore(o Options) (err error) {
	m.bus = bus.NewBus(bus.Options{Now: m.now, MaxEventSize: m.cfg.MaxEventSize})
	if err := m.openJobs(o); err != nil {
		return err
	}
	if err := m.openEngine(); err != nil {
		return err
	}
	m.publications, err = publications.Open(m.ctx, publications.Options{
		Config: m.cfg, Keys: m.keys, Key: m.keys.Shared.Current, Port: func() publications.Port { return m.ports.Pub },
		Store: m.store, Jobs: m.jobs, Nodes: m.policy.Nodes,
		Ask: func(ctx context.Context, what string, arg any) (map[string]nodecall.Answer, error) {
			return m.below.Ask(ctx, nil, what, arg)
		},
		Known: m.peers.Known, NodeConns: func() map[uint64]bool { return m.policy.Conns(m.policy.Nodes()) }, MinionConns: m.peers.MinionConns,
		Unheard: m.peers.Unheard, Age: m.ages.Now, Steady: m.ages.Steady, Given: &m.stats.Missed, Log: m.log, Now: m.now,
	})
	if err != nil {
		return err
	}
	m.policy.Inherit(m.peers.Peers())
	m.runners = runners.NewHost(runners.HostOptions{
		Ctx: m.ctx, ID: m.id, MaxEvent: m.cfg.MaxEventSize, Depth: m.cfg.Bounds.Depth, Store: m.store, Fire: m.fire,
		Env: func(o access.Owner) runners.Env { return m.env.For(o) }, Mask: secrets.Masker{Off: !m.cfg.MaskJobArgs}, Keeping: runners.KeepingOf(m.cfg.RunnerReturns), Log: m.log, Now: m.now,
	})
	m.openMine()
	m.below = below.New(below.Options{
		Node: m.node, Version: m.version, Own: m.access.Own, Keys: m.keys, Policy: m.policy, Peers: m.peers, Publications: m.publications,
		Jobs: m.jobs, Store: m.store, JIDs: m.jids, Traces: m.traces, Data: m.data, Mine: m.mine, Active: m.activeJobs, Log: m.log,
	})
	if err := m.openFailover(); err != nil {
		return err
	}
	m.peers.Join(peers.Parts{
		Policy: m.policy, Claims: m.policy.Claims(), Jobs: m.jobs, Announced: m.failover.Announced,
		Keeps: m.publications.Keeps, Heard: m.publications.Heard, Missed: m.publications.Missed, SendMissed: m.publications.SendMissed,
		Secret: m.keys.Identity.Pair.Private.D.Bytes(), Signing: m.keys.Turns, Busy: func() bool { return m.server.Waiting() > 0 },
		User: m.access.Own, JID: m.jids.Next, Publish: m.publications.Send, Send: m.publications.SendPeer,
	})
	m.publisher = publish.New(publish.Options{
		Ctx: m.ctx, Config: m.cfg, Access: m.access, Policy: m.policy, Peers: m.peers, Publications: m.publications, Jobs: m.jobs,
		Room: m.jobs.WaitRoom, Booked: m.jobs.WaitStored, Store: m.store, Traces: m.traces, Tracer: m.tracer, Sign: m.signatures.SignJob, Own: m.access.Own, JID: m.jids.Next, Note: m.Note,
		Show: m.writeJobFile, ShowGrown: m.writeGrownJobFile, Below: m.tree.Node, Tree: m.tree.Snapshot, Refused: m.server.RefusedUser, Audit: m.audit.Note, Failing: m.failing, Fire: func(tag string, data wire.Raw) { m.fireRaw(tag, data, "") },
		Log: m.log, Now: m.now,
	})
	m.openPeerCalls()
	m.intake = intake.New(intake.Options{
		Node: m.node, Depth: m.cfg.Bounds.Depth, Keys: m.keys, Policy: m.policy, Peers: m.peers, Signatures: m.signatures, Resources: m.resources.Registry,
		Publications: m.publications, Jobs: m.jobs, Store: m.store, Server: m.server, JIDs: m.jids, Bus: m.bus,
		Stats: &m.stats, Tracer: m.tracer, Traces: m.traces, OtherRecord: m.publisher.OtherRecord,
		Mask: secrets.Masker{Off: !m.cfg.MaskJobArgs}, ReturnsADay: m.cfg.MinionReturnsMaxBytes, EventsADay: m.cfg.MinionEventsMaxBytes, Log: m.log, Now: m.now,
	})
	m.restore = publish.NewResumer(publish.ResumeOptions{
		Jobs: m.jobs, Publications: m.publications, Policy: m.policy, Peers: m.peers, Keys: m.keys, Tree: m.tree, Timeout: m.cfg.Timeout, Above: m.parent != "", Grown: m.writeGrownJobFile, Log: m.log,
	})
	return nil
}

// activeJobs returns the open jobs of this master and all below.
func (m *Master) activeJobs(ctx context.Context) (any, error) {
	return runners.Run(ctx, &runners.Call{Bound: runners.Bind(runners.Request{Fun: "jobs.active"}), Env: m.env.As(m.access.Own)})
}

// openEngine creates the engine from stored state.
func (m *Master) openEngine() error {
	var noted [2][]string
	for i, kind := range []string{returners.NoteOpen, returners.NoteUnreported} {
		err := returners.EachNote(m.ctx, m.store.Embedded(), kind, func(n returners.Note) { noted[i] = append(noted[i], n.JID) })
		if err != nil {
			return err
		}
	}
	m.jobs = engine.New(engine.Config{
		Account: engine.AccountConfig{
			GatherTimeout: m.cfg.GatherJobTimeout, SyndicWait: m.cfg.SyndicWait, AskConnected: m.cfg.Bounds.AskConnected, FindJobWindow: m.cfg.Bounds.FindJobWindow,
			Where: m.policy.WhereNow, Gone: m.peers.Gone, MaxAdopted: m.cfg.Bounds.Brought, MaxAdoptedPerMinion: m.cfg.Bounds.Adopted,
		},
		Storage: m.store.Embedded(), Parent: m.parent != "", Bounds: m.cfg.Bounds, Timeout: m.cfg.Timeout, Now: m.now,
		Resources: m.resources.IDs, Manager: m.resources.Manager,
		Done: m.ctx.Done(), Open: noted[0], Unreported: noted[1],
	})
	return nil
}

// openJobs opens the job store and its age clock.
func (m *Master) openJobs(o Options) error {
	local, err := sqlite.Open(m.ctx, sqlite.Options{
		Path: m.cfg.JobStoreFile, Log: m.log, Now: m.now, Age: func() time.Time { return m.ages.Now() },
		TailRows: m.cfg.Bounds.OutboxTail, TailBytes: m.cfg.Bounds.OutboxBytes,
	})
	if err != nil {
		return fmt.Errorf("open the job store: %w", err)
	}
	newest, err := local.Newest(m.ctx)
	if err != nil {
		return errors.Join(err, local.Close())
	}
	m.ages = timing.Open(timing.Options{
		File: filepath.Join(m.cfg.Cachedir, "age_clock"), Newest: newest, Wall: m.now, Running: o.running, Log: m.log,
	})
	m.store = jobstore.New(jobstore.Options{
		Local: o.wrapStore(local), OpenRemote: m.remoteOpener(), OpenEvents: m.eventOpener(), Parent: o.Parent,
		Keep: m.cfg.KeepJobsSeconds, Every: m.cfg.LoopInterval, NoResults: !m.cfg.JobCache, Age: m.ages, Busy: m.retainedJobs,
		MaxRows: int64(m.cfg.OutboxMaxRows), MaxBytes: m.cfg.OutboxMaxBytes, Bounds: m.cfg.Bounds, Rescue: m.rescues, Log: m.log, Now: m.now,
	})
	return nil
}
