package scale

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/timing"
)

// SoakOptions configure [Soak].
type SoakOptions struct {
	Options
	// For is how long the load lasts. Default 2 h.
	For time.Duration
	// Every is the time between the starts of two jobs. Default 5 s.
	Every time.Duration
	// KillEvery is the time between two kills of a node. Default 10 min.
	KillEvery time.Duration
	// SampleEvery is the time between two samples of memory, descriptors, threads and disk.
	// Default 30 s.
	SampleEvery time.Duration
	// Minions are below each of the four nodes of the lowest tier. Default 500.
	Minions int
	// Readers are event streams of the REST API. Default 4.
	Readers int
}

func (o *SoakOptions) defaults() {
	for _, d := range []struct {
		of *time.Duration
		to time.Duration
	}{
		{&o.For, 2 * time.Hour},
		{&o.Every, 5 * time.Second},
		{&o.KillEvery, 10 * time.Minute},
		{&o.SampleEvery, 30 * time.Second},
		{&o.Progress, 2 * time.Second},
	} {
		if *d.of <= 0 {
			*d.of = d.to
		}
	}
	if o.Minions <= 0 {
		o.Minions = 500
	}
	if o.Readers <= 0 {
		o.Readers = 4
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
}

// checkEvery is the time between two checks of the jobs since the last check. It is shorter than
// the stores keep jobs.
const checkEvery = 2 * time.Minute

// soak is a [Soak] in progress.
type soak struct {
	*world
	o       SoakOptions
	api     *localcluster.Process
	readers *readers
	result  SoakResult
	pending []Job // not yet checked
	usage   map[string][]Usage
}

// Soak keeps a tree of three tiers under a steady load: jobs, states with files and pillars from
// the top, events, readers of the REST API, and a node killed now and then. It reports growth of
// memory, descriptors, threads or disk, and anything lost or doubled, as faults. An error means
// that the tree could not be run.
func Soak(ctx context.Context, o SoakOptions) (_ SoakResult, err error) {
	o.defaults()
	shape := Shape{Name: "soak", About: "three tiers of masters, 2 and 4 nodes", Fan: []int{2, 2}, Minions: o.Minions, Mom: 1. / 3, Kills: 1, Patience: 10 * time.Minute}
	s := &soak{o: o, usage: map[string][]Usage{}, world: &world{
		Options: o.Options, shape: shape, procs: map[string]*localcluster.Process{}, probes: map[string]string{},
	}}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.prepare(ctx); err != nil {
		return s.result, err
	}
	if err := s.load(ctx); err != nil {
		return s.result, err
	}
	if err := s.finish(ctx); err != nil {
		return s.result, err
	}
	return s.result, nil
}

// soakConf is added to the configuration of each node. Jobs are kept for an eighth of the run, so
// that stores reach their size early.
const soakConf = "keep_jobs_seconds: %d\n"

// soakBelow is added below the top.
const soakBelow = `fileserver_backend: [roots, upstream]
pillar_upstream: True
`

// soakTop is added at the top.
const soakTop = `file_roots: {base: [%[1]s/salt]}
pillar_roots: {base: [%[1]s/pillar]}
external_auth:
  sharedsecret:
    soak: ['.*', '@runner', '@wheel']
sharedsecret: soak
rest_cherrypy: {port: %[2]d, host: 127.0.0.1, disable_ssl: True}
netapi_enable_clients: [local, local_async, runner]
api_events: all
`

// prepare starts the tree, its minions, the API and the readers.
func (s *soak) prepare(ctx context.Context) error {
	port, err := localcluster.FreePort()
	if err != nil {
		return err
	}
	keep := max(s.o.For/8, 2*checkEvery)
	s.extra = func(id string) string {
		conf := fmt.Sprintf(soakConf, int(keep.Seconds()))
		if id == "top" {
			return conf + fmt.Sprintf(soakTop, s.srv(), port)
		}
		return conf + soakBelow
	}
	if err := s.content(); err != nil {
		return err
	}
	if err := s.grow(ctx); err != nil {
		return fmt.Errorf("start the tree: %w", err)
	}
	s.Say("%d nodes are up, %d minions start", len(s.cluster.Members), s.shape.All())
	var r Result
	if err := s.enter(ctx, &r); err != nil {
		return err
	}
	top := s.cluster.Top()
	top.Kind = "api"
	if s.api, err = localcluster.Start(s.Program, top, "-l", s.logLevel(), "--pid-file", filepath.Join(s.Dir, "api.pid")); err != nil {
		return err
	}
	s.readers, err = openReaders(ctx, fmt.Sprintf("http://127.0.0.1:%d", port), s.o.Readers)
	return err
}

// srv is the folder of the states and the pillar.
func (s *soak) srv() string { return filepath.Join(s.Dir, "srv") }

// content writes the states and the pillar, which only the top has.
func (s *soak) content() error {
	for path, text := range map[string]string{
		"salt/site/init.sls":    "site conf:\n  file.managed:\n    - name: /tmp/soak\n    - source: salt://site/conf\n    - template: jinja\n",
		"salt/site/conf":        "role: {{ pillar['role'] }}\n",
		"pillar/top.sls":        "base:\n  '*':\n    - site\n",
		"pillar/site/init.sls":  "role: web\n",
		"salt/site/payload.bin": string(make([]byte, 256<<10)),
	} {
		file := filepath.Join(s.srv(), path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// soakJobs are published in turn.
var soakJobs = []client.Job{
	ping,
	{Tgt: "*", Fun: []string{"state.apply"}, Args: []any{"site"}},
	ping,
	{Tgt: "*", Fun: []string{"grains.items"}},
	{Tgt: "*", Fun: []string{"pillar.items"}},
}

// load publishes jobs until the time is up.
func (s *soak) load(ctx context.Context) error {
	began := time.Now()
	end := began.Add(s.o.For)
	kill, sample, check := began.Add(s.o.KillEvery), began, began.Add(checkEvery)
	for n := 0; time.Now().Before(end); n++ {
		next := time.Now().Add(s.o.Every)
		victim := ""
		if time.Now().After(kill) {
			victim = s.leaves[s.result.Kills%len(s.leaves)].ID
			s.result.Kills++
			kill = kill.Add(s.o.KillEvery)
		}
		j := s.ask(ctx, soakJobs[n%len(soakJobs)], victim)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.pending = append(s.pending, j)
		s.result.count(j)
		if victim != "" {
			s.Say("%s was killed; job %s: %d of %d returned, %d missing", victim, j.JID, j.Returned, j.Expected, j.Missing)
			if err := s.healed(ctx); err != nil {
				s.result.fault("%v", err)
			}
		}
		if err := s.client.Fire(ctx, soakTag, map[string]any{"n": n}); err != nil {
			return fmt.Errorf("fire event %d: %w", n, err)
		}
		s.result.Events++
		if time.Now().After(sample) {
			s.sample(time.Since(began))
			sample = sample.Add(s.o.SampleEvery)
		}
		if time.Now().After(check) {
			if err := s.check(ctx); err != nil {
				return err
			}
			check = time.Now().Add(checkEvery)
			s.Say("%d jobs, %d returns, %d kills, %d faults", s.result.Jobs, s.result.Returns, s.result.Kills, len(s.result.Faults))
		}
		if err := timing.Sleep(ctx, time.Until(next)); err != nil {
			return err
		}
	}
	return nil
}

// check compares the jobs since the last check with the accounts of the minions.
func (s *soak) check(ctx context.Context) error {
	if err := s.settle(ctx, s.pending); err != nil {
		return err
	}
	r := Result{Jobs: s.pending}
	s.pending = nil
	if err := s.account(ctx, &r); err != nil {
		return err
	}
	for _, f := range r.Faults {
		s.result.fault("%s", f)
	}
	return nil
}

// finish checks the rest: the last jobs, rescues, the events that readers received, and growth.
func (s *soak) finish(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	s.sample(s.o.For)
	var r Result
	if err := s.probe(ctx, &r); err != nil {
		return err
	}
	for _, f := range r.Faults {
		s.result.fault("%s", f)
	}
	s.readers.finish(ctx, s.result.Events, s.result.fault)
	s.result.Usage = growth(s.usage, s.o.For)
	for _, g := range s.result.Usage {
		for _, f := range g.faults() {
			s.result.fault("%s", f)
		}
	}
	return nil
}

func (s *soak) close() error {
	var errs []error
	if s.readers != nil {
		errs = append(errs, s.readers.close())
	}
	if s.api != nil {
		errs = append(errs, localcluster.StopAll([]*localcluster.Process{s.api}, 30*time.Second))
	}
	return errors.Join(append(errs, s.stop())...)
}
