package master

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
)

// openStore opens the job store and its age clock.
func (m *Master) openStore(o Options) error {
	if err := m.checkReturners(); err != nil {
		return err
	}
	local, err := sqlite.Open(m.ctx, sqlite.Options{
		Path: m.cfg.JobStoreFile, Log: m.log, Now: m.now, TailRows: m.cfg.Bounds.OutboxTail, TailBytes: m.cfg.Bounds.OutboxBytes,
		Ages: func(newest time.Time) func() time.Time {
			m.ages = timing.Open(timing.Options{
				File: filepath.Join(m.cfg.Cachedir, "age_clock"), Newest: newest, Wall: m.now, Running: o.running, Log: m.log,
			})
			return m.ages.Now
		},
	})
	if err != nil {
		return fmt.Errorf("open the job store: %w", err)
	}
	m.retained = &jobstore.Retained{}
	m.store = jobstore.New(jobstore.Options{
		Local: o.wrapStore(local), OpenRemote: m.remoteOpener(), RemoteName: m.cacheName(), Events: m.eventStores(), Parent: o.Parent,
		Keep: m.cfg.KeepJobsSeconds, Every: m.cfg.LoopInterval, NoResults: !m.cfg.JobCache, Age: m.ages, Busy: m.retained.Jobs,
		MaxRows: int64(m.cfg.OutboxMaxRows), MaxBytes: m.cfg.OutboxMaxBytes, Bounds: m.cfg.Bounds, Rescue: m.rescues, Log: m.log, Now: m.now,
	})
	return nil
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
			Where: m.policy.WhereNow, Gone: m.presence.Gone, MaxAdopted: m.cfg.Bounds.Brought, MaxAdoptedPerMinion: m.cfg.Bounds.Adopted,
		},
		Storage: m.store.Embedded(), Parent: m.parent != "", Bounds: m.cfg.Bounds, Timeout: m.cfg.Timeout, Now: m.now,
		Resources: m.resources.IDs, Manager: m.resources.Manager,
		Done: m.ctx.Done(), Open: noted[0], Unreported: noted[1],
	})
	m.retained.Add(m.jobs.Marked)
	m.retained.Add(m.jobs.Active)
	return nil
}

// openPublications opens the publications of jobs, and the ports that they go out by. The ports are
// bound last.
func (m *Master) openPublications() (err error) {
	mute := presence.MuteFor
	if !m.cfg.PresenceAsk { // unidentified subscribers are not asked
		mute = -1
	}
	m.ports = server.NewPorts(server.PortsOptions{
		Config: m.cfg, Accepted: m.keys.Len(keys.Accepted), Trusted: m.server.Trusted.Has, TrustedFor: mute, Log: m.log,
	})
	m.publications, err = publications.Open(m.ctx, publications.Options{
		Config: m.cfg, Keys: m.keys, Key: m.keys.Shared.Current, Port: m.ports, Journal: m.journal,
		Store: m.store, Jobs: m.jobs, Delivery: m.jobs, Nodes: m.policy.Nodes, MayHaveNodes: m.policy.MayHaveNodes,
		Known: m.presence.Known, NodeConns: func() map[uint64]bool { return m.policy.Conns(m.policy.Nodes()) }, MinionConns: m.presence.MinionConns,
		StockConns: m.presence.StockConns, OwnConns: m.presence.OwnConns,
		Unheard: m.presence.Unheard, WasStock: m.presence.WasStock, Age: m.ages.Now, Steady: m.ages.Steady, Given: &m.stats.Missed, Log: m.log, Now: m.now,
	})
	if err != nil {
		return err
	}
	m.retained.Add(m.keptJobs)
	return nil
}

// keptJobs returns the jobs with a kept publication.
func (m *Master) keptJobs() (jids []string) {
	for _, r := range m.publications.Records() {
		jids = append(jids, r.JID)
	}
	return jids
}

// openPublisher creates the services that start jobs, receive returns and restore open jobs.
func (m *Master) openPublisher() error {
	m.publisher = publish.New(publish.Options{
		Ctx: m.ctx, Config: m.cfg, Access: m.access, Policy: m.policy, Peers: m.peers, Publications: m.publications, Jobs: m.jobs, Accounts: m.jobs,
		Store: m.store, Files: m.jobWriter, Tree: m.tree, Signatures: m.signatures, Traces: m.traces, Tracer: m.tracer, Own: m.access.Own, JID: m.jids.Next, Tops: m.otherTops(),
		Refused: m.server.RefusedUser, Audit: m.audit.Note, Trespassed: m.policy.Trespassed, Failing: m.failing,
		Fire: func(tag string, data wire.Raw) { m.fireRaw(tag, data, "") }, Log: m.log, Now: m.now,
	})
	m.keys.OnRotated(m.keyRotated)
	m.intake = intake.New(intake.Options{
		Node: m.node, Depth: m.cfg.Bounds.Depth, Keys: m.keys, Policy: m.policy, Peers: m.peers, Signatures: m.signatures, Resources: m.resources,
		Publications: m.publications, Jobs: m.jobs, Store: m.store, Server: m.server, JIDs: m.jids, Bus: m.bus,
		Stats: &m.stats, Tracer: m.tracer, Traces: m.traces, OtherRecord: m.publisher.OtherRecord,
		Mask: secrets.Masker{Off: !m.cfg.MaskJobArgs}, ReturnsADay: m.cfg.MinionReturnsMaxBytes, EventsADay: m.cfg.MinionEventsMaxBytes, Log: m.log, Now: m.now,
	})
	m.restore = publish.NewResumer(publish.ResumeOptions{
		Jobs: m.jobs, Publications: m.publications, Policy: m.policy, Peers: m.peers, Keys: m.keys, Tree: m.tree, Timeout: m.cfg.Timeout, Extended: m.parent != "" || m.cluster != nil, Grown: m.jobWriter.Grown, Log: m.log,
	})
	return nil
}

// keyRotated makes all minions sign in again with a ping, if ping_on_rotate is set.
func (m *Master) keyRotated() {
	if !m.cfg.PingOnRotate {
		return
	}
	//mutant:engine-ping-does-not-wait
	m.wg.Go(func() { // the caller may hold the lock that a job needs
		if err := m.publisher.PingAll(); err != nil {
			m.log.Error("ping after key rotation failed", "err", err)
		}
	})
}
