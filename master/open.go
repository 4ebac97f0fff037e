package master

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/age"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/driver"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/restore"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/signatures"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
	"github.com/momtree/mom/topology"
)

// masterID names this master in events and job stores: its `id`, which Salt sets to
// the host's name with "_master" behind it. At a top it is its name in the tree too.
func masterID(c *config.Master) string {
	if c.ID != "" {
		return c.ID
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return host + "_master"
}

func (m *Master) openFolders() error {
	for _, dir := range []string{m.cfg.PkiDir, m.cfg.Cachedir, m.cfg.SockDir} {
		if err := durable.Folder(dir, 0o755); err != nil { // Salt's mode; secrets in them have their own
			return fmt.Errorf("make folder: %w", err)
		}
	}
	return nil
}

func (m *Master) openKeys() (err error) {
	c := m.cfg
	m.keys, err = keyring.Open(keyring.Options{Config: c, ID: m.id, Fire: m.fire, Rotated: m.keyRotated, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.data = datacache.New(c.Cachedir, c.Bounds)
	m.openBank()
	if m.access, err = access.Open(c, m.data.Subject, m.log); err != nil {
		return err
	}
	m.logins, err = auth.New(auth.Options{Config: c, Rules: m.access.External.Rules, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.audit = access.NewAudit(access.AuditOptions{Node: m.node, Fire: func(tag string, d *wire.Map) error { return m.bus.Fire(tag, d) }, Log: m.log, Now: m.now})
	m.signatures = signatures.New(signatures.Options{
		SignJobs: c.SignJobs, Life: c.SignJobsLife, Require: c.RequireMinionSignMessages, Drop: c.DropMessagesSignatureFail,
		User: m.access.Own, Private: m.keys.Identity.Pair.Private, Keys: m.keys, Log: m.log, Now: m.now,
	})
	m.tree = topology.NewTree(topology.Node{ID: m.node, Role: roleOf(m.parent), Version: m.version}, m.now)
	if err := m.openPolicy(); err != nil {
		return err
	}
	pid := 0
	if m.cfg.UniqueJid {
		pid = os.Getpid()
	}
	m.jids = jid.NewGenerator(m.now, pid)
	return nil
}

// openPolicy reads who was there and who speaks for whom.
func (m *Master) openPolicy() (err error) {
	m.peers = peers.Open(peers.Options{
		Config: m.cfg, Node: m.node, Keys: m.keys, Tree: m.tree, Fire: m.fire, Failing: m.failing, Log: m.log, Now: m.now,
	})
	m.policy, err = ownership.Open(ownership.Options{
		PkiDir: m.cfg.PkiDir, SyndicDir: m.cfg.SyndicDir, Cachedir: m.cfg.Cachedir, SyndicIDs: m.cfg.SyndicIds, Nodegroups: m.cfg.Nodegroups, Prune: m.cfg.PublishPrune,
		Keys: m.keys, Presence: m.peers, Running: func(jid string) bool { return m.runners.Running(jid) },
		Guest: func(id string) error { return m.failover.MayBeNode(id) }, Absent: func(id string) bool { return m.failover.Absent(id) },
		Subject: m.data.Subject, Keeps: func() bool { return m.publications.Keeps() },
		Barred: server.Told("speaks as a syndic and may not"),
		Joined: m.peers.Grow,
		Tree:   m.tree, Fire: m.fire, Refused: func() { m.stats.Refused.Add(1) }, Failing: m.failing, Log: m.log, Now: m.now,
	})
	return err
}

func (m *Master) openServer() {
	m.server = server.New(server.Options{
		Ctx: m.ctx, MinimumVersion: m.cfg.MinimumAuthVersion, TTL: m.cfg.RequestServerTtl, Depth: m.cfg.Bounds.Depth,
		WorkValues: m.cfg.Bounds.WorkValues, Waiting: m.cfg.Bounds.SignIns, Turns: m.keys.Turns,
		Keys: m.keys, Sessions: m.keys.Sessions, Toks: m.keys.Toks, Shared: m.keys.Shared, Node: m.policy.IsNode,
		User: m.access.User, Own: m.access.Own, Logins: access.Logins{Auth: m.logins, Rules: m.access.External},
		Stats: &m.stats, Log: m.log, Now: m.now,
	})
}

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
		Unheard: m.peers.Unheard, Age: m.ages.Now, Steady: m.ages.Steady, Given: &m.stats.Missed, Log: m.log, Now: m.now,
	})
	if err != nil {
		return err
	}
	m.policy.Inherit(m.peers.Peers())
	m.runners = runners.NewHost(runners.HostOptions{
		Ctx: m.ctx, ID: m.id, MaxEvent: m.cfg.MaxEventSize, Depth: m.cfg.Bounds.Depth, Store: m.store, Fire: m.fire,
		Env: func(user string) runners.Env { return runnerEnv{m, user} }, Log: m.log, Now: m.now,
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
		Keeps: m.publications.Keeps, Heard: m.publications.Heard, Missed: m.publications.Missed, GiveMissed: m.publications.GiveMissed,
		Secret: m.keys.Identity.Pair.Private.D.Bytes(), Signing: m.keys.Turns, Busy: func() bool { return m.server.Waiting() > 0 },
		User: m.access.Own, JID: m.jids.Next, Publish: m.publications.Send, Send: m.publications.SendPeer,
	})
	m.publisher = publish.New(publish.Options{
		Ctx: m.ctx, Config: m.cfg, Access: m.access, Policy: m.policy, Peers: m.peers, Publications: m.publications, Jobs: m.jobs,
		Room: m.driver.Room, Store: m.store, Traces: m.traces, Sign: m.signatures.SignJob, Own: m.access.Own, JID: m.jids.Next, Note: m.Note,
		Show: m.showJob, Below: m.tree.Node, Tree: m.tree.Snapshot, Refused: m.server.RefusedUser, Audit: m.audit.Note, Failing: m.failing, Fire: func(tag string, data wire.Raw) { m.fireRaw(tag, data, "") },
		Log: m.log, Now: m.now,
	})
	m.openPeerCalls()
	m.intake = intake.New(intake.Options{
		Node: m.node, Depth: m.cfg.Bounds.Depth, Keys: m.keys, Policy: m.policy, Peers: m.peers, Signatures: m.signatures,
		Publications: m.publications, Jobs: m.jobs, Driver: m.driver, Store: m.store, Server: m.server, JIDs: m.jids, Bus: m.bus,
		Stats: &m.stats, OtherRecord: m.publisher.OtherRecord, Log: m.log, Now: m.now,
	})
	m.restore = restore.New(restore.Options{
		Jobs: m.jobs, Publications: m.publications, Policy: m.policy, Peers: m.peers, Keys: m.keys, Tree: m.tree, Timeout: m.cfg.Timeout, Log: m.log,
	})
	return nil
}

// activeJobs gives the open jobs of this master and of all below.
func (m *Master) activeJobs(ctx context.Context) (any, error) {
	return runners.Run(ctx, &runners.Call{Fun: "jobs.active", Env: runnerEnv{m, m.access.Own}})
}

// openEngine makes the engine of jobs over what is stored.
func (m *Master) openEngine() error {
	if err := m.store.TakeOver(m.ctx, m.cfg.Cachedir); err != nil {
		return err
	}
	var noted [2][]string
	for i, kind := range []string{returners.NoteOpen, returners.NoteUntold} {
		err := returners.EachNote(m.ctx, m.store.Embedded(), kind, func(n returners.Note) { noted[i] = append(noted[i], n.JID) })
		if err != nil {
			return err
		}
	}
	bell := driver.NewBell()
	m.jobs = jobs.New(jobs.Config{
		Ledger: ledger.Config{
			GatherTimeout: m.cfg.GatherJobTimeout, SyndicWait: m.cfg.SyndicWait, AskConnected: m.cfg.Bounds.AskConnected, FindJobWindow: m.cfg.Bounds.FindJobWindow,
			Where: m.policy.WhereNow, Gone: m.peers.Gone, Brought: m.cfg.Bounds.Brought, BroughtBy: m.cfg.Bounds.Adopted,
		},
		Storage: m.store.Embedded(), Parent: m.parent != "", Bounds: m.cfg.Bounds, Timeout: m.cfg.Timeout, Now: m.now,
		Wake: bell.Ring, Open: noted[0], Untold: noted[1],
	})
	m.driver = driver.New(bell, driver.Options{
		Ctx: m.ctx, Engine: m.jobs, Save: m.store.Save, Do: m.do, Waiting: m.cfg.Bounds.WordQueue, Log: m.log,
	})
	return nil
}

// openJobs opens the job store and the clock by which it ages.
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
	m.ages = age.Open(age.Options{
		File: filepath.Join(m.cfg.Cachedir, "age_clock"), Newest: newest, Wall: m.now, Running: o.running, Log: m.log,
	})
	m.store = jobstore.New(jobstore.Options{
		Local: o.wrapStore(local), OpenRemote: m.remoteOpener(), OpenEvents: m.eventOpener(), Parent: o.Parent,
		Keep: m.cfg.KeepJobsSeconds, Every: m.cfg.LoopInterval, NoResults: !m.cfg.JobCache, Age: m.ages, Busy: m.busy,
		MaxRows: int64(m.cfg.OutboxMaxRows), MaxBytes: m.cfg.OutboxMaxBytes, Bounds: m.cfg.Bounds, Rescue: m.rescues, Log: m.log, Now: m.now,
	})
	return nil
}

func roleOf(parent string) string {
	if parent == "" {
		return "master"
	}
	return presence.Syndic
}

// cacheName is the job cache that the configuration names beside the embedded
// one; "": none.
func (m *Master) cacheName() string {
	name := m.cfg.MasterJobCache
	if m.cfg.ExtJobCache != "" {
		name = m.cfg.ExtJobCache
	}
	if name == "local_cache" {
		return ""
	}
	return name
}

// remoteOpener gives the opener of that database.
func (m *Master) remoteOpener() func(context.Context) (returners.Returner, error) {
	name := m.cacheName()
	if name == "" {
		return nil
	}
	return m.opener(name)
}

func (m *Master) opener(name string) func(context.Context) (returners.Returner, error) {
	return func(ctx context.Context) (returners.Returner, error) {
		return returners.OpenStore(ctx, name, returners.Options{Values: m.cfg.Raw, Log: m.log, Now: m.now})
	}
}

// eventOpener gives the opener of the database that event_return names.
func (m *Master) eventOpener() func(context.Context) (returners.Returner, error) {
	if len(m.cfg.EventReturn) == 0 {
		return nil
	}
	return m.opener(m.cfg.EventReturn[0])
}
