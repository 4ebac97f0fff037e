package master

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/jobfiles"
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/signatures"
	"github.com/momtree/mom/topology"
)

// masterID returns the id of this master in events and job stores: `id`, by default the host name
// with "_master" appended. A top uses it in the tree too.
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
	for _, dir := range []string{m.cfg.PkiDir, m.cfg.Cachedir, filepath.Join(m.cfg.Cachedir, "proc"), m.cfg.SockDir} {
		if err := durable.Folder(dir, 0o755); err != nil { // Salt's mode; secrets have their own
			return fmt.Errorf("make folder: %w", err)
		}
	}
	return jobfiles.Folders(m.cfg.Cachedir)
}

func (m *Master) openKeys() (err error) {
	c := m.cfg
	m.keys, err = keyring.Open(keyring.Options{Config: c, ID: m.id, Fire: m.fire, Rotated: m.keyRotated, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.data = datacache.New(c.Cachedir, c.Bounds)
	m.resources = &resources.Service{Registry: resources.Open(resources.Options{
		Cachedir: c.Cachedir, HasKey: m.keys.Accepted, Accepted: func() []string { return m.keys.List(keys.Accepted) }, Log: m.log,
	})}
	m.bank = datacache.OpenBanks(filepath.Join(c.Cachedir, "banks")) // of runners
	if m.access, err = access.Open(c, m.subject, m.log); err != nil {
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

// subject returns the data of a minion for target matching.
func (m *Master) subject(id string) target.Subject { return m.resources.Subject(m.data.Subject(id)) }

// openPolicy opens presence and the ownership policy.
func (m *Master) openPolicy() (err error) {
	m.peers = peers.Open(peers.Options{
		Config: m.cfg, Node: m.node, Keys: m.keys, Manager: m.resources.Manager, Tree: m.tree, Fire: m.fire, Failing: m.failing, Log: m.log, Now: m.now,
	})
	m.policy, err = ownership.Open(ownership.Options{
		PkiDir: m.cfg.PkiDir, SyndicDir: m.cfg.SyndicDir, Cachedir: m.cfg.Cachedir, SyndicIDs: m.cfg.SyndicIds, OrderMasters: m.cfg.OrderMasters,
		Nodegroups: m.cfg.Nodegroups, Prune: m.cfg.PublishPrune, EventTags: m.cfg.MinionEventTags,
		Keys: m.keys, Presence: m.peers, Running: func(jid string) bool { return m.runners.Running(jid) },
		Guest: func(id string) error { return m.failover.MayBeNode(id) }, Absent: func(id string) bool { return m.failover.Absent(id) },
		Subject: m.subject, Resources: m.resources, KeepsData: m.cfg.MinionDataCache, Keeps: func() bool { return m.publications.Keeps() },
		Barred: server.Told("speaks as a syndic and may not"),
		Joined: m.peers.Add,
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
		Tracer: m.tracer, Traces: m.traces, Stats: &m.stats, Log: m.log, Now: m.now,
	})
}

func roleOf(parent string) string {
	if parent == "" {
		return "master"
	}
	return presence.Syndic
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
