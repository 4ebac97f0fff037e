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
	"github.com/momtree/mom/master/telemetry"
)

// Options configure a [Server]. Fields are required unless they say otherwise.
type Options struct {
	Ctx context.Context //nolint:containedctx // ends when the master begins to close
	// MinimumVersion is the oldest accepted protocol: minimum_auth_version.
	MinimumVersion int
	// TTL is the maximum age of a request: request_server_ttl. 0: any age.
	TTL time.Duration
	// Depth is the nesting of a field beyond which [Request.Deep] is set: bound depth.
	Depth int
	// WorkValues limits the values of requests in progress: bound work_values.
	WorkValues int
	// Waiting limits the queued costly requests: bound sign_ins.
	Waiting int
	// Turns are the slots for the master's private key, and for costly requests.
	Turns admission.Turns

	Keys interface {
		Accepted(id string) bool
	}
	Sessions *keys.Sessions
	Toks     *keys.Toks
	Shared   *keys.Shared
	// User returns the owner of a key.
	User func(key string) (name string, ok bool)
	// Own is the user that the master runs as.
	Own string
	// Logins identifies users of external_auth.
	Logins Logins
	// Node reports whether a peer is a node directly below.
	Node func(id string) bool
	// Tracer creates the spans of requests; may be nil. Traces holds the traces of jobs.
	Tracer *tracing.Tracer
	Traces interface {
		Trace(jid string) tracing.Carrier
	}

	Stats *telemetry.Counters
	Log   *slog.Logger
	Now   func() time.Time
}

// Server serves the commands that are added to it.
type Server struct {
	Options
	Trusted *admission.Addresses // source addresses of accepted peers
	Turned  *admission.Report    // what was turned away
	Nonces  *admission.Nonces    // of requests that must not be served twice

	open   chan struct{} // closed by Open
	wg     sync.WaitGroup
	clear  map[string]*entry
	sealed map[string]*entry
	served telemetry.Commands
	costly *admission.Lane
	work   *admission.Work // values of requests in progress
	warned atomic.Int64
	vain   logs.Throttle[[2]string] // failed requests, by command and peer
}

// entry is an added command.
type entry struct {
	Command
	handle Handler
	count  *telemetry.Command // for an encrypted command
}

// New returns a Server without commands.
func New(o Options) *Server {
	return &Server{
		Options: o, Trusted: admission.NewAddresses(o.Now), Turned: admission.NewReport(o.Log), Nonces: admission.NewNonces(),
		open: make(chan struct{}), clear: map[string]*entry{}, sealed: map[string]*entry{}, served: telemetry.Commands{},
		costly: admission.NewLane(cap(o.Turns), o.Waiting), work: admission.NewWork(o.WorkValues),
	}
}

// Add adds a command. It panics if the name is taken or the declaration is invalid. It must not be
// called after [Server.Open].
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

// Commands returns the added commands.
func (s *Server) Commands() []Command {
	var out []Command
	for _, table := range []map[string]*entry{s.clear, s.sealed} {
		for _, e := range table {
			out = append(out, e.Command)
		}
	}
	return out
}

// Served returns the counters of the encrypted commands.
func (s *Server) Served() telemetry.Commands { return s.served }

// Open starts serving requests, including those waiting since the port was bound.
func (s *Server) Open() { close(s.open) }

// Opened returns a channel that Open closes.
func (s *Server) Opened() <-chan struct{} { return s.open }

// Waiting returns the number of queued costly requests.
func (s *Server) Waiting() int { return s.costly.Depth() }

// Close waits for the requests in progress. The ports must be closed and the context canceled.
func (s *Server) Close() {
	s.costly.Close()
	s.wg.Wait()
}

// rescue recovers from a panic in a handler, so that it affects only one request. It must be
// deferred.
func (s *Server) rescue(req *zmtp.Request, what string) {
	if p := recover(); p != nil {
		s.Stats.Panics.Add(1)
		s.Log.Error("request handler panicked", "request", what, "panic", p, "stack", string(debug.Stack()))
		s.answer(req, handlerRaised)
	}
}
