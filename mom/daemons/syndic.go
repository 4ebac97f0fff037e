package daemons

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/syndic/standalone"
	"github.com/momtree/mom/topology"
)

func syndicCommand() *cobra.Command {
	f := &flags{}
	alone := false
	c := &cobra.Command{
		Use:   "syndic",
		Short: "Run a node: a local master and its forwarder to the masters above",
		Long: "Runs a node of the tree in one process: a master for the minions and nodes below,\n" +
			"and the forwarder to syndic_master. The directory holds the files master and minion;\n" +
			"the forwarder takes id and pki_dir from the latter, as Salt's syndic does.\n" +
			"With --standalone it runs only the forwarder, beside the salt-master of this host: it\n" +
			"reads that master's event sockets in sock_dir and its key file in cachedir, and keeps\n" +
			"returns that its parents have not accepted in cachedir/syndic.db.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := refuseRole("syndic"); err != nil {
				return err
			}
			version := command.Version(cmd)
			conf, warnings, err := config.LoadSyndic(f.dir)
			if err != nil {
				return err
			}
			s := masterSettings(conf.Local, warnings)
			s.logFile, s.pidFile = conf.Upper.LogFile, conf.Upper.Pidfile
			return f.serve(cmd, s, service{
				name: "Salt Syndic", version: version,
				open: func(ctx context.Context, log *slog.Logger) (func(context.Context) error, error) {
					daemon.EaseCollector()
					if alone {
						if conf.Local.Api {
							log.Warn("option api ignored: it needs a master in this process", "hint", "run salt-api, or mom api")
						}
						return withTracer(ctx, conf.Local.Tracing, "salt-syndic", conf.Upper.ID, version, log, func(t *tracing.Tracer) (func(context.Context) error, error) {
							n, err := newForwarder(ctx, conf, version, log, t)
							if err != nil {
								return nil, err
							}
							at, err := figuresOfDaemon(&conf.Local.Common, conf.Local.SockDir, "master", "salt-syndic", conf.Upper.ID)
							if err != nil {
								return nil, errors.Join(err, n.close())
							}
							return withMetrics(at, "syndic", version, log, n.run, n.close, n.syndic.Metrics())
						})
					}
					return withTracer(ctx, conf.Local.Tracing, "salt-syndic", conf.Upper.ID, version, log, func(t *tracing.Tracer) (func(context.Context) error, error) {
						n, err := newNode(conf, version, log, t)
						if err != nil {
							return nil, err
						}
						run, drop, err := withAPI(f.dir, conf.Local, version, log, n.run, n.close)
						if err != nil {
							return nil, err
						}
						at, err := figuresOfDaemon(&conf.Local.Common, conf.Local.SockDir, "master", "salt-syndic", conf.Upper.ID)
						if err != nil {
							return nil, errors.Join(err, drop())
						}
						return withMetrics(at, "syndic", version, log, run, drop, n.master.Metrics(), n.syndic.Metrics())
					})
				},
			})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&alone, "standalone", false, "run the forwarder alone, beside a salt-master of this host")
	return c
}

// node is a local master with its forwarder.
type node struct {
	master *master.Master
	syndic *syndic.Syndic
}

func newNode(conf *config.Syndic, version string, log *slog.Logger, t *tracing.Tracer) (*node, error) {
	m, err := master.New(master.Options{Config: conf.Local, Parent: returners.DestAbove, NodeID: conf.Upper.ID, Version: version, Log: log, Tracer: t, Caller: caller(conf.Local.Dir)})
	if err != nil {
		return nil, err
	}
	s, err := syndic.New(syndic.Options{Config: conf, Local: localMaster{m}, Failover: m.Failover(), Version: version, Log: log, Tracer: t, Trace: m.Trace, Rescue: m.Rescues()})
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.Above().Connect(s)
	return &node{m, s}, nil
}

// close releases a node that was not run.
func (n *node) close() error {
	return errors.Join(n.syndic.Close(), n.master.Close())
}

// run serves both until ctx ends or one of them fails.
func (n *node) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The forwarder ends first: it uses the master's store and bus.
	masterCtx, stopMaster := context.WithCancel(context.WithoutCancel(ctx))
	defer stopMaster()
	var wg sync.WaitGroup
	var masterErr error
	wg.Go(func() {
		masterErr = n.master.Run(masterCtx)
		cancel()
	})
	wg.Go(func() { daemon.AnswerHealth(ctx, n.master.Bus(), n.heart()) })
	syndicErr := n.syndic.Run(ctx)
	cancel()
	stopMaster()
	wg.Wait()
	return errors.Join(masterErr, syndicErr)
}

// heart returns the links and checks of master and forwarder.
func (n *node) heart() daemon.Health {
	return daemon.Health{Links: n.syndic.Masters, Checks: []metrics.Checker{n.master.Metrics().Checks, n.syndic.Metrics().Checks}}
}

// localMaster adapts a master to the forwarder beside it.
type localMaster struct{ m *master.Master }

func (l localMaster) Bus() *bus.Bus                                 { return l.m.Bus() }
func (l localMaster) Outbox() returners.SharedOutbox                { return l.m.Store().Outbox() }
func (l localMaster) Jobs() local.Jobs                              { return l.m.Store().Embedded() }
func (l localMaster) Grown() <-chan struct{}                        { return l.m.Store().Grown() }
func (l localMaster) Tree() *topology.Tree                          { return l.m.Tree() }
func (l localMaster) OpenJobs(after string, n int) []string         { return l.m.OpenJobs(after, n) }
func (l localMaster) LastReport(jid string) (uint64, bool)          { return l.m.LastReport(jid) }
func (l localMaster) Reports(jid string, n int) iter.Seq[bus.Event] { return l.m.Reports(jid, n) }
func (l localMaster) Reported(jid string, word uint64)              { l.m.Reported(jid, word) }

// Publish translates the errors of the master to those that the forwarder knows.
func (l localMaster) Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error {
	err := l.m.Publish(ctx, p, asks...)
	for theirs, ours := range map[error]error{master.ErrNoMatch: local.ErrNoMatch, master.ErrNotNow: local.ErrNotNow} {
		if errors.Is(err, theirs) {
			return fmt.Errorf("%w: %w", ours, err)
		}
	}
	return err
}

func (l localMaster) Note(ctx context.Context, notes ...returners.Note) error {
	return l.m.Note(ctx, notes...)
}

func (l localMaster) Answer(ctx context.Context, what string, arg wire.Raw) (any, error) {
	return l.m.Answer(ctx, what, arg)
}

// forwarder is a syndic beside a master in another process.
type forwarder struct {
	local  *standalone.Local
	syndic *syndic.Syndic
}

func newForwarder(ctx context.Context, conf *config.Syndic, version string, log *slog.Logger, t *tracing.Tracer) (*forwarder, error) {
	where := bus.ClientConfig{
		SockDir: conf.Local.SockDir, IPCMode: conf.Local.IpcMode, PubPort: conf.Local.TcpMasterPubPort, PullPort: conf.Local.TcpMasterPullPort,
		Framing: bus.Framing(conf.Local.IpcFraming),
	}
	l, err := standalone.Open(ctx, standalone.Options{
		ID: conf.Upper.ID, Bus: where, Store: filepath.Join(conf.Local.Cachedir, "syndic.db"),
		Nodes: conf.Local.OrderMasters, Keep: conf.Local.KeepJobsSeconds, Log: log,
		Master: client.Options{Addr: client.LocalAddr(conf.Local.Interface, conf.Local.RetPort), Cachedir: conf.Local.Cachedir, MasterUser: conf.Local.User},
	})
	if err != nil {
		return nil, err
	}
	s, err := syndic.New(syndic.Options{Config: conf, Local: l, Version: version, Log: log, Tracer: t, Questions: true})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &forwarder{l, s}, nil
}

// close releases a forwarder that was not run.
func (f *forwarder) close() error {
	return errors.Join(f.syndic.Close(), f.local.Close())
}

// run serves both until ctx ends.
func (f *forwarder) run(ctx context.Context) error {
	var wg sync.WaitGroup
	var localErr error
	wg.Go(func() { localErr = f.local.Run(ctx) })
	h := daemon.Health{Links: f.syndic.Masters, Checks: []metrics.Checker{f.syndic.Metrics().Checks}, Say: f.local.Fire}
	err := daemon.RunWithHealth(ctx, f.local.Bus(), h, f.syndic.Run)
	wg.Wait()
	return errors.Join(err, localErr, f.local.Close())
}
