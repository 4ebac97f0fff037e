package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

// Channel is the encrypted connection to another top.
type Channel interface {
	Addr() string
	// Request sends a load and returns the answer. It signs in if necessary.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
	// Current returns the result of the last sign-in.
	Current() (channel.Result, bool)
	Close() error
}

// Options configures a [Service]. All fields are required.
type Options struct {
	ID      string // cluster_id
	Node    string // id of this top
	Version string
	// Channels are not connected yet. The Service closes them.
	Channels []Channel
	// Roles holds the operator's admissions.
	Roles interface {
		Top(id string) bool
		Tops() []string
	}
	// Keys returns the accepted key of an id.
	Keys interface {
		Sum(id string) (crypt.FingerSum, error)
	}
	// Jobs are those of this top, for lookups of the others.
	Jobs Jobs
	// Sync keeps the keys of all tops the same.
	Sync *Keys
	Log  *slog.Logger
	Now  func() time.Time
}

const (
	// shareWait is how long [Service.Share] waits for the other tops: a slow one delays no job
	// further.
	shareWait = 300 * time.Millisecond
	// maxStrangers bounds the remembered tops that are not admitted, strangerFor is how long one is
	// remembered.
	maxStrangers = 16
	strangerFor  = time.Minute
)

// Service is this top's part of a cluster. It is safe for concurrent use.
type Service struct {
	o     Options
	links []*link

	mu        sync.Mutex
	strangers map[string]time.Time // when each asked last
}

// New returns a Service. Run connects it.
func New(o Options) *Service {
	s := &Service{o: o, strangers: map[string]time.Time{}}
	for _, ch := range o.Channels {
		s.links = append(s.links, newLink(s, ch))
	}
	return s
}

// Run keeps the links until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, l := range s.links {
		wg.Go(func() { l.run(ctx) })
	}
	wg.Go(func() { s.o.Sync.run(ctx, s.pushKeys) })
	wg.Wait()
}

// Close closes the channels, after Run has returned.
func (s *Service) Close() error {
	var errs []error
	for _, l := range s.links {
		errs = append(errs, l.ch.Close())
	}
	return errors.Join(errs...)
}

// Names returns the ids of this top and of all admitted ones, sorted.
func (s *Service) Names() []string {
	all := append(s.o.Roles.Tops(), s.o.Node)
	slices.Sort(all)
	return slices.Compact(all)
}

// Share sends a request about a job to the other tops. It returns when those that are connected have
// answered, at most after 300 ms. What is not answered is sent until it is, within the bounds of a
// lane.
func (s *Service) Share(ctx context.Context, jid string, load *wire.Map) {
	var wait []*request
	for _, l := range s.links {
		r := newRequest(jid, load)
		if l.push(r) {
			wait = append(wait, r)
		}
	}
	if len(wait) == 0 {
		return
	}
	bound := time.NewTimer(shareWait)
	defer bound.Stop()
	for _, r := range wait {
		select {
		case <-r.tried:
		case <-bound.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Admits returns an error if id is not an admitted top. It remembers the id for [Service.Problems].
func (s *Service) Admits(id string) error {
	if s.o.Roles.Top(id) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.strangers[id]; known || len(s.strangers) < maxStrangers {
		s.strangers[id] = s.o.Now()
	}
	return fmt.Errorf("top %s is not admitted at %s; run there: mom node admit --top %s", id, s.o.Node, id)
}

// Status returns the state of the links, in the order of cluster_peers.
func (s *Service) Status() []Status {
	out := make([]Status, 0, len(s.links))
	for _, l := range s.links {
		out = append(out, l.status())
	}
	return out
}

// IsTop reports whether an id is this top's or that of another top, admitted or not.
func (s *Service) IsTop(id string) bool {
	return id == s.o.Node || s.o.Roles.Top(id) || slices.ContainsFunc(s.links, func(l *link) bool { return l.status().ID == id })
}

// Problem is a condition that an operator should know about. About identifies it.
type Problem struct{ About, Detail string }

// Problems returns the links that are down and the tops that wait for an admission.
func (s *Service) Problems() (out []Problem) {
	for _, st := range s.Status() {
		if !st.Up {
			out = append(out, Problem{st.Addr, fmt.Sprintf("top %s of the cluster is not connected: %s", st.name(), st.Why)})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.strangers {
		if s.o.Roles.Top(id) || s.o.Now().Sub(at) > strangerFor {
			delete(s.strangers, id)
			continue
		}
		out = append(out, Problem{id, fmt.Sprintf("top %s asks to be one of this cluster; if it is, run here: mom node admit --top %s", id, id)})
	}
	slices.SortFunc(out, func(a, b Problem) int { return slices.Compare([]string{a.About}, []string{b.About}) })
	return out
}

var commands server.Set[*Service]

// Commands returns the commands of the other tops.
func Commands() []server.Command { return commands.Commands() }

// Serve registers them on srv.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }

// helloCommand keeps a link.
const helloCommand = "_cluster_hello"

func init() {
	commands.Register(server.Command{
		Name: helloCommand, Who: server.Proven,
		Args: []string{"cluster", "version"},
		Doc: `
Another top of the cluster says that it is there; our own addition.

cluster, version
    Its cluster_id and version.
`,
	}, func(s *Service) server.Handler { return s.onHello })
}

// onHello answers another top. The answer names this top also if that one is not admitted.
func (s *Service) onHello(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("hello of top %s: %w", r.ID, err)
	}
	reply := wire.NewMap("node", s.o.Node, "cluster", s.o.ID, "version", s.o.Version, "keys", s.o.Sync.Digest())
	switch err := s.Admits(r.ID); {
	case err != nil:
		reply.Set("error", err.Error())
	case d.String("cluster") != s.o.ID:
		reply.Set("error", fmt.Sprintf("cluster_id is %q at %s and %q at %s", d.String("cluster"), r.ID, s.o.ID, s.o.Node))
	}
	return reply, nil
}
