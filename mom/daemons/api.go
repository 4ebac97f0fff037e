package daemons

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/results"
)

func apiCommand() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "api",
		Short: "Run the REST API beside a master",
		Long: "Runs the REST API of the master on this host: what rest_cherrypy and rest_tornado of\n" +
			"its configuration ask for, each on its own port. The master has to run; it decides who\n" +
			"may do what (external_auth). With api_results the API has no master, and tells of jobs\n" +
			"and results in a database. See docs/api.md.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := command.Version(cmd)
			conf, warnings, err := config.LoadMaster(f.dir)
			if err != nil {
				return err
			}
			s := masterSettings(conf, warnings)
			s.logFile, s.pidFile = conf.ApiLogfile, conf.ApiPidfile
			return f.serve(cmd, s, service{
				name: "Salt API", version: version,
				open: func(_ context.Context, log *slog.Logger) (func(context.Context) error, error) {
					a, err := newAPI(f.dir, conf, version, log)
					if err != nil {
						return nil, err
					}
					run, err := withMetrics(conf.ApiMetricsListen, "api", version, log, a.run, a.close, api.Metrics(a.backend, a.hub, a.servers...))
					if err != nil {
						return nil, fmt.Errorf("api_metrics_listen: %w", err)
					}
					return run, nil
				},
			})
		},
	}
	f.register(c)
	return c
}

// apiDaemon is the listeners of the API and what they share.
type apiDaemon struct {
	backend api.Backend
	hub     *stream.Hub
	servers []*api.Server
	log     *slog.Logger

	work   []func(ctx context.Context) // what goes on beside the listeners
	closes []func() error              // what is behind them, in the order to be closed in
}

const (
	// masterConns bounds the requests of users that are at the master at once: with the 8 of a
	// command a hundred users wait for each other.
	masterConns = 64
	// masterTime bounds one of them, the wait for its turn included.
	masterTime = 30 * time.Second
)

// ask opens what answers the API: the master of this host, with its events, or where
// api_results says so a database.
func (a *apiDaemon) ask(dir string, conf *config.Master) error {
	if conf.ApiResults != "" {
		b, err := results.Open(conf, a.log)
		if err != nil {
			return err
		}
		a.backend, a.hub = b, api.NewHub(time.Now, nil)
		a.work, a.closes = append(a.work, b.Run), append(a.closes, b.Close)
		return nil
	}
	o, err := client.FromConfig(dir, a.log)
	if err != nil {
		return err
	}
	var spill *stream.Spill // nil: events are kept in memory alone
	if conf.ApiEventFile > 0 {
		if spill, err = stream.OpenSpill(filepath.Join(conf.Cachedir, "api"), int64(conf.ApiEventFile), a.log); err != nil {
			return fmt.Errorf("api_event_file: %w; 0 does without", err)
		}
		a.closes = append(a.closes, spill.Close)
	}
	o.Timeout = masterTime
	side := client.New(o)
	o.Conns = masterConns
	c := client.New(o)
	a.closes = append(a.closes, c.Close, side.Close)
	a.backend, a.hub = api.Masters{Client: c, Side: side}, api.NewHub(time.Now, spill)
	a.work = append(a.work, func(ctx context.Context) { api.Feed(ctx, a.backend, a.hub, a.log) })
	return nil
}

func newAPI(dir string, conf *config.Master, version string, log *slog.Logger) (*apiDaemon, error) {
	a := &apiDaemon{log: log}
	if err := a.ask(dir, conf); err != nil {
		return nil, err
	}
	for _, l := range []struct {
		dialect api.Dialect
		section map[string]any
	}{{api.CherryPy, conf.RestCherrypy}, {api.Tornado, conf.RestTornado}} {
		if l.section == nil {
			continue
		}
		if err := a.listen(l.dialect, l.section, conf, version); err != nil {
			return nil, errors.Join(err, a.close())
		}
	}
	if len(a.servers) == 0 {
		return nil, errors.Join(fmt.Errorf("nothing to serve: put rest_cherrypy (or rest_tornado) with port, ssl_crt and ssl_key into %s", conf.ConfFile), a.close())
	}
	if len(conf.NetapiEnableClients) == 0 {
		log.Warn("No client is enabled, so nothing can be run: name them in netapi_enable_clients")
	}
	return a, nil
}

func (a *apiDaemon) listen(d api.Dialect, section map[string]any, conf *config.Master, version string) error {
	o, notes, err := api.OptionsOf(d, section, conf.NetapiEnableClients, conf.RestTimeout)
	for _, n := range notes {
		a.log.Warn(n)
	}
	if err != nil {
		return err
	}
	o.Version, o.Log, o.Hub = version, a.log, a.hub
	o.AllEvents, o.NoEvents, o.MasterUser = conf.ApiEvents == "all", conf.ApiResults != "", conf.User
	s, err := api.New(o, a.backend)
	if err != nil {
		return err
	}
	a.servers = append(a.servers, s)
	a.log.Info("The REST API is served", "dialect", string(d), "addr", s.Addr().String(), "tls", s.TLS())
	return nil
}

// close releases a daemon that is not run.
func (a *apiDaemon) close() error {
	var errs []error
	for _, s := range a.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errors.Join(errs...), a.release())
}

// release ends the readers, and closes what is behind the listeners.
func (a *apiDaemon) release() error {
	a.hub.Close()
	var errs []error
	for _, c := range a.closes {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// run serves all listeners until ctx ends or one of them fails.
func (a *apiDaemon) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for _, work := range a.work {
		wg.Go(func() { work(ctx) })
	}
	errs := make([]error, len(a.servers))
	for i, s := range a.servers {
		wg.Go(func() {
			errs[i] = s.Run(ctx)
			cancel()
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), a.release())
}
