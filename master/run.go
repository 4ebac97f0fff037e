package master

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// Run serves until ctx ends or a part fails, then closes the master.
func (m *Master) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, m.cancel)
	defer stop()
	unsubscribe := m.keys.Subscribe(m.keyChanged)
	defer unsubscribe()
	m.wg.Go(func() { m.jobs.Run(m.ctx, engine.Loop{Save: m.store.Save, Do: m.do, Log: m.log}) })
	if len(m.cfg.EventReturn) > 0 {
		e := jobstore.ListenEvents(jobstore.EventReturnOptions{
			Bus: m.bus, Store: m.store, MasterID: m.id, Whitelist: m.cfg.EventReturnWhitelist, Blacklist: m.cfg.EventReturnBlacklist,
			Queue: m.cfg.EventReturnQueue, Waiting: m.cfg.Bounds.AuditQueue, Bytes: m.cfg.Bounds.AuditBytes, Patience: m.cfg.EventReturnQueueMaxSeconds, Lost: m.store.LoseEvents, Log: m.log,
		})
		m.wg.Go(func() { e.Run(m.ctx) })
	}
	fail := make(chan error, 2)
	for name, part := range map[string]func(context.Context) error{
		"watch the key folders": m.keys.Run, "keep the job store": m.store.Run,
	} {
		m.wg.Go(func() {
			if err := part(m.ctx); err != nil && !errors.Is(err, context.Canceled) {
				fail <- fmt.Errorf("%s: %w", name, err)
			}
		})
	}
	//mutant:start-reads-no-results
	m.restore.Run(ctx)
	heard, err := m.openGossip()
	if err != nil {
		return errors.Join(err, m.Close())
	}
	batches := m.batches.Listen() // subscribe before a command can hand one over
	m.server.Open()
	m.wg.Go(m.housekeep)
	m.wg.Go(func() { m.files.Run(m.ctx) })
	m.wg.Go(func() { m.pillars.Run(m.ctx) })
	m.wg.Go(func() { m.peers.Run(m.ctx) })
	m.wg.Go(func() { m.logins.Run(m.ctx) })
	m.wg.Go(func() { m.failover.Run(m.ctx) })
	m.wg.Go(func() { heard.Run(m.ctx) })
	m.wg.Go(func() { m.watch(heard).Run(m.ctx) })
	m.wg.Go(func() { m.reactor.Run(m.ctx) })
	m.wg.Go(func() { m.batches.Run(m.ctx, batches) })
	m.wg.Go(func() { m.schedule.Run(m.ctx) })
	m.runCluster()
	if m.jobFiles != nil {
		m.wg.Go(func() { m.jobFiles.Run(m.ctx) })
	}
	pub, ret := m.Ports()
	m.log.Info("master serving", "id", m.id, "interface", m.cfg.Interface, "publish_port", pub, "ret_port", ret, "version", m.version)
	select {
	case <-m.ctx.Done():
	case err = <-fail:
	}
	return errors.Join(err, m.Close())
}

// keyChanged handles a change in the key folders, by any process.
func (m *Master) keyChanged(c keys.Change) {
	m.log.Info("key state changed", "id", c.ID, "state", c.State, "op", c.Op)
	if c.Accepts() {
		m.policy.Show(c.ID)
	}
	if !c.Revokes() {
		return
	}
	m.keys.Revoked(c.ID, m.failover.KeyGone(c.ID, cmp.Or(c.Was, m.policy.Roles().KeyOf(c.ID))))
	if m.keys.Accepted(c.ID) {
		return // another key with the same id
	}
	m.peers.Revoke(c.ID)
	m.tree.Remove(c.ID)
	m.policy.Forget(c.ID)
	m.resources.Forget(c.ID)
	//mutant:cve2016-9639-data-goes
	if !m.cfg.PreserveMinionCache {
		if err := m.data.Remove(c.ID); err != nil {
			m.log.Error("data of deleted minion not removed", "minion", c.ID, "err", err)
		}
		m.entries.Forget(c.ID)
	}
}

// housekeep runs periodic maintenance.
func (m *Master) housekeep() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	saved, swept := m.now(), m.now()
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-tick.C:
		}
		m.keys.Tend()
		m.data.Tend()
		m.server.Turned.FlushPorts(m.ports.Router.Stats().HostStats, m.ports.Pub.Stats().HostStats, m.cfg.MaxConnections, m.now())
		if changed := m.policy.Look(); len(changed) > 0 { // changed admissions
			m.failover.AdmissionsChanged(changed)
			m.admissionsChanged(changed)
		}
		m.unserved.Flush(m.now())
		m.publications.Tend()
		if now := m.now(); now.Sub(swept) > ownership.FormerSweep {
			swept = now
			m.policy.Sweep()
		}
		if now := m.now(); now.Sub(saved) > m.cfg.Bounds.Claims {
			saved = now
			if err := m.policy.Save(); err != nil {
				m.log.Error("minions of nodes not saved", "err", err)
			}
		}
	}
}

// Snapshot returns the tree from this master down.
func (m *Master) Snapshot() topology.Node { return m.tree.Snapshot() }
