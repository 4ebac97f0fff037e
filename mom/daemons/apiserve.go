package daemons

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/tracing/export"
)

// apiOptions are the parts of an [apiDaemon].
type apiOptions struct {
	backend api.Backend
	events  bool                        // the backend has events
	spill   *stream.Spill               // nil: events are kept in memory only
	work    []func(ctx context.Context) // runs beside the listeners
	closes  []func() error              // closes the parts behind the listeners, in order
	conf    *config.Master
	version string
	log     *slog.Logger
	tracer  *tracing.Tracer // nil: off
	trial   bool            // listen on free loopback ports instead of the configured ones
}

// apiDaemon holds the listeners of the API and their shared parts.
type apiDaemon struct {
	o       apiOptions
	hub     *stream.Hub
	servers []*api.Server
}

// newAPI binds the configured listeners.
func newAPI(o apiOptions) (*apiDaemon, error) {
	t, err := config.ReadTracing(o.conf.Tracing, "salt-api")
	if err != nil {
		return nil, err
	}
	if o.tracer, err = export.New(context.Background(), t, o.conf.ID, o.version, o.log); err != nil {
		return nil, err
	}
	o.closes = append(o.closes, o.tracer.Close)
	a := &apiDaemon{o: o, hub: api.NewHub(time.Now, o.spill)}
	for _, l := range []struct {
		dialect api.Dialect
		section map[string]any
	}{{api.CherryPy, o.conf.RestCherrypy}, {api.Tornado, o.conf.RestTornado}} {
		if l.section == nil {
			continue
		}
		if err := a.listen(l.dialect, l.section); err != nil {
			return nil, errors.Join(err, a.close())
		}
	}
	if len(a.servers) == 0 {
		return nil, errors.Join(fmt.Errorf("nothing to serve: put rest_cherrypy (or rest_tornado) with port, ssl_crt and ssl_key into %s", o.conf.ConfFile), a.close())
	}
	if len(o.conf.NetapiEnableClients) == 0 {
		o.log.Warn("no API client enabled", "hint", "list them in netapi_enable_clients")
	}
	return a, nil
}

func (a *apiDaemon) listen(d api.Dialect, section map[string]any) error {
	o, notes, err := api.OptionsOf(d, section, a.o.conf.NetapiEnableClients, a.o.conf.RestTimeout)
	for _, n := range notes {
		a.o.log.Warn("API option ignored", "reason", n)
	}
	if err != nil {
		return err
	}
	if a.o.trial {
		o.Host, o.Port = trialHost, 0
	}
	o.Version, o.Log, o.Hub, o.Tracer = a.o.version, a.o.log, a.hub, a.o.tracer
	o.AllEvents, o.NoEvents, o.MasterUser = a.o.conf.ApiEvents == "all", !a.o.events, a.o.conf.User
	o.Logins = slices.Sorted(maps.Keys(a.o.conf.ExternalAuth)) // a gateway usually has none
	s, err := api.New(o, a.o.backend)
	if err != nil {
		return err
	}
	a.servers = append(a.servers, s)
	a.o.log.Info("REST API serving", "dialect", string(d), "addr", s.Addr().String(), "tls", s.TLS())
	return nil
}

// measured is run with the metrics of the API served at api_metrics_listen.
func (a *apiDaemon) measured() (func(context.Context) error, error) {
	// In the master's process (api: True) the master's socket has the profiles of both.
	at := figuresOf(a.o.conf.ApiMetricsListen, a.o.conf.DebugSocket && !a.o.conf.Api, a.o.conf.SockDir, "api")
	run, err := withMetrics(at, "api", a.o.version, a.o.log, a.run, a.close, api.Metrics(a.o.backend, a.hub, a.servers...))
	if err != nil {
		return nil, fmt.Errorf("api_metrics_listen: %w", err)
	}
	return run, nil
}

// close releases a daemon that was not run.
func (a *apiDaemon) close() error {
	var errs []error
	for _, s := range a.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errors.Join(errs...), a.release())
}

// release ends the readers and closes the parts behind the listeners.
func (a *apiDaemon) release() error {
	a.hub.Close()
	var errs []error
	for _, c := range a.o.closes {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// run serves all listeners until ctx ends or one of them fails.
func (a *apiDaemon) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	if a.o.events {
		wg.Go(func() { api.Feed(ctx, a.o.backend, a.hub, a.o.log) })
	}
	for _, work := range a.o.work {
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

// withAPI runs the API of a master in its process (api: True). The master continues if the API
// fails, and the API ends with the master. drop releases the master if the API's addresses cannot be
// bound.
func withAPI(dir string, conf *config.Master, version string, log *slog.Logger, run func(context.Context) error, drop func() error) (func(context.Context) error, func() error, error) {
	if !conf.Api {
		return run, drop, nil
	}
	if conf.ApiUpstream != "" || conf.ApiResults != "" {
		return nil, nil, errors.Join(errors.New("api excludes api_upstream and api_results: an API of another master or of a database runs in a process of its own"), drop())
	}
	a, err := localAPI(dir, apiOptions{conf: conf, version: version, log: log})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("api: True: %w", err), drop())
	}
	beside, err := a.measured()
	if err != nil {
		return nil, nil, errors.Join(err, drop())
	}
	both := func(ctx context.Context) error {
		side, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := beside(side); err != nil {
				log.Error("REST API stopped, the master continues", "err", err)
			}
		})
		err := run(ctx)
		cancel()
		wg.Wait()
		return err
	}
	return both, func() error { return errors.Join(a.close(), drop()) }, nil
}
