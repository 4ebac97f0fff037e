package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/runnerenv"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/value"
)

// openCalls creates what runs functions on the master: batches, wheels, runners, the schedule and the
// calls of minions.
func (m *Master) openCalls() error {
	m.openBatches()
	m.wheels = wheels.Host{Env: wheels.Env{Keys: m.keys.Editor(), Config: m.cfg, Tree: m.tree.Snapshot}, Fire: m.fire, Now: m.now}
	m.reactors, m.causes = reactor.NewTable(m.cfg.Reactor, m.bus, m.log), reactor.NewCauses(m.now)
	m.env = runnerenv.New(runnerenv.Options{
		Master: runnerenv.Master{
			Ctx: m.ctx, Config: m.cfg, ID: m.id, Bus: m.bus, Fire: m.fire, Stats: &m.stats, Ages: m.ages, Log: m.log, Now: m.now,
		},
		Access: runnerenv.Access{Keys: m.keys, Control: m.access, Logins: m.logins, Audit: m.audit},
		JobParts: runnerenv.JobParts{
			JIDs: m.jids, Publisher: m.publisher, Publications: m.publications, Jobs: m.jobs, Store: m.store, Batches: m.batches, JobCache: m.cacheName(),
		},
		TreeParts:  runnerenv.TreeParts{Tree: m.tree, Policy: m.policy, Failover: m.failover, Below: m.below, Cluster: m.cluster},
		Content:    runnerenv.Content{Files: m.files, Pillars: m.pillars, Data: m.data, Mine: m.mine, Bank: m.bank, Engines: m.engines},
		Automation: runnerenv.Automation{Calls: m.calls, Wheels: m.wheels, Pauses: m.pauses, Reactors: m.reactors, Causes: m.causes},
	})
	m.runners = m.env.Runners()
	m.templates.Add(m.env.PillarFunctions(m.access.Own))
	m.below.Handle(below.AskActive, m.activeJobs)
	m.openPeerCalls()
	m.openSchedule()
	return nil
}

// activeJobs returns the open jobs of this master and all below.
func (m *Master) activeJobs(ctx context.Context, _ wire.Raw) (any, error) {
	return runners.Run(ctx, &runners.Call{Bound: runners.Bind(runners.Request{Fun: "jobs.active"}), Env: m.env.As(m.access.Own)})
}

// openPeerCalls creates the service for calls of minions to other minions and to the master.
func (m *Master) openPeerCalls() {
	m.peerCalls = peercall.New(peercall.Options{
		Bounds: m.cfg.Bounds, Rules: m.access.Peers, Own: m.access.Own, Publish: m.publisher.PublishPeer, State: m.jobs.State,
		Results: func(ctx context.Context) (returners.Reader, error) { return m.env.As(m.access.Own).Jobs(ctx, "") },
		Above:   &m.above, Owns: m.nodeReports, Runners: m.runners, JID: m.jids.Next, Bus: m.bus,
		Audit: m.audit.Note, Trespassed: m.policy.Trespassed, Log: m.log,
	})
}

// openSchedule creates the schedule. It logs invalid entries of the option.
func (m *Master) openSchedule() {
	began := time.Now()
	moment := func() schedule.Moment { return schedule.Moment{Wall: m.now(), Age: time.Since(began)} }
	table := schedule.New(schedule.Options{Check: scheduled})
	jobs, _ := config.AsValue(m.cfg.Schedule).(*value.Map)
	for _, err := range table.Load(jobs, moment()) {
		m.log.Error("invalid scheduled job ignored", "err", err, "option", "schedule", "place", m.cfg.Place("schedule").String())
	}
	m.schedule = schedule.NewLoop(schedule.LoopOptions{
		Table: table, Moment: moment, JID: m.jids.Next, Log: m.log,
		Do: func(ctx context.Context, r schedule.Run, jid string) {
			if !m.leader.Leads() {
				m.log.Debug("scheduled job left to the leading top", "job", r.Name)
				return
			}
			call := runners.Bind(runners.Request{Fun: r.Function, Args: r.Args, Kwargs: r.Kwargs.Clone()})
			keep := r.ReturnJob && !r.NoCache && !runners.Private(r.Function)
			if _, err := m.runners.Do(ctx, call, runners.Start{JID: jid, User: m.access.Own, Keep: keep, Discard: !keep}); err != nil {
				m.log.Error("scheduled job failed", "job", r.Name, "jid", jid, "fun", r.Function, "err", err)
			}
		},
	})
}

// scheduled returns an error if the master cannot run a scheduled job.
func scheduled(j *schedule.Job) error {
	if _, ok := runners.Lookup(j.Function); !ok {
		return fmt.Errorf("Invalid function: %s is not a runner of this master", j.Function)
	}
	if len(j.Returners) > 0 || j.Metadata != nil {
		return errors.New("returner and metadata are not supported in the schedule of a master; results are in its job cache")
	}
	return nil
}

// TemplateCalls returns the functions available in the master's own templates, in addition to
// those of the renderer.
func TemplateCalls() []string { return runnerenv.TemplateCalls() }
