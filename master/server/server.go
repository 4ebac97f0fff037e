package server

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/meters"
)

// Options of a [Server]. None may be left out, but for those that say so.
type Options struct {
	Ctx context.Context //nolint:containedctx // ends when the master begins to close
	// MinimumVersion is the oldest protocol that is served: minimum_auth_version.
	MinimumVersion int
	// TTL is how old a request may be: request_server_ttl. 0: any age.
	TTL time.Duration
	// Depth is how deep a field may nest before [Request.Deep] says so: bound depth.
	Depth int
	// WorkValues bounds the values of requests at work: bound work_values.
	WorkValues int
	// Waiting bounds the costly requests that wait: bound sign_ins.
	Waiting int
	// Turns are those at the master's private key; as many costly requests are served
	// at once.
	Turns admission.Turns

	Keys interface {
		Accepted(id string) bool
	}
	Sessions *keys.Sessions
	Toks     *keys.Toks
	Shared   *keys.Shared
	// User tells whose key this is.
	User func(key string) (name string, ok bool)
	// Own is the user that the master runs as.
	Own string
	// Logins know the users of external_auth.
	Logins Logins
	// Node tells whether a peer is a node right below.
	Node func(id string) bool
	// Tracer makes the spans of requests; nil: none. Traces knows the traces of jobs.
	Tracer *tracing.Tracer
	Traces interface {
		Context(ctx context.Context, jid string) context.Context
	}

	Stats *meters.Counters
	Log   *slog.Logger
	Now   func() time.Time
}

// Server serves the commands that are added to it.
type Server struct {
	Options
	Trusted *admission.Addresses // where requests of accepted peers came from
	Turned  *admission.Report    // what was turned away
	Nonces  *admission.Nonces    // of requests that must not be served twice

	open   chan struct{} // closed when requests may be served
	wg     sync.WaitGroup
	clear  map[string]*entry
	sealed map[string]*entry
	served meters.Commands
	costly *admission.Lane
	work   *admission.Work // the values of requests at work
	warned atomic.Int64
	vain   logs.Throttle[[2]string] // what was asked for in vain, by command and peer
}

// entry is a command at work.
type entry struct {
	Command
	handle Handler
	count  *meters.Command // of a sealed one
}

// New serves nothing yet.
func New(o Options) *Server {
	return &Server{
		Options: o, Trusted: admission.NewAddresses(o.Now), Turned: admission.NewReport(o.Log), Nonces: admission.NewNonces(),
		open: make(chan struct{}), clear: map[string]*entry{}, sealed: map[string]*entry{}, served: meters.Commands{},
		costly: admission.NewLane(cap(o.Turns), o.Waiting), work: admission.NewWork(o.WorkValues),
	}
}

// Add has a command served. It panics when the name is taken, or the declaration is
// wrong. All are added before [Server.Open].
func (s *Server) Add(c Command, h Handler) {
	if err := c.check(); err != nil {
		panic("server: " + err.Error())
	}
	table, e := s.clear, &entry{Command: c, handle: h}
	if c.Who.Sealed() {
		table, e.count = s.sealed, s.served.Add(c.Name)
	}
	if table[c.Name] != nil {
		panic("server: command " + c.Name + " is added twice")
	}
	table[c.Name] = e
}

// Commands lists what is served.
func (s *Server) Commands() []Command {
	var out []Command
	for _, table := range []map[string]*entry{s.clear, s.sealed} {
		for _, e := range table {
			out = append(out, e.Command)
		}
	}
	return out
}

// Served are the counters of the sealed commands.
func (s *Server) Served() meters.Commands { return s.served }

// Open lets the requests in that wait since the port was bound.
func (s *Server) Open() { close(s.open) }

// Opened is closed when requests are served.
func (s *Server) Opened() <-chan struct{} { return s.open }

// Waiting counts the costly requests that wait for their turn.
func (s *Server) Waiting() int { return s.costly.Depth() }

// Close waits for the requests at work. None may be received any more, and the context
// is over.
func (s *Server) Close() {
	s.costly.Close()
	s.wg.Wait()
}

// rescue is deferred by whoever serves a request: what goes wrong with one
// costs no other.
func (s *Server) rescue(req *zmtp.Request, what string) {
	if p := recover(); p != nil {
		s.Stats.Panics.Add(1)
		s.Log.Error("request handler panicked", "request", what, "panic", p, "stack", string(debug.Stack()))
		s.answer(req, handlerRaised)
	}
}
