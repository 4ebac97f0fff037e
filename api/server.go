package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/internal/lru"
)

// Server is one listener of the API.
type Server struct {
	o     Options
	d     manner
	b     Backend
	log   *slog.Logger
	hub   *stream.Hub
	own   bool // the hub is ours to feed and to close
	ln    net.Listener
	certs *certificates // nil without TLS
	http  *http.Server

	byPath map[string]map[string]*route
	mux    *http.ServeMux
	cross  *http.CrossOriginProtection
	conns  *conns
	bodies *semaphore.Weighted
	budget budget
	logins *doorkeeper
	tokens *lru.Map[[32]byte, struct{}] // those that were valid when they were last looked up
	pings  singleflight.Group
	repeat *repeats
	files  *files
	trees  trees
	doc    []byte // the OpenAPI document

	ending    context.Context // ends when the server begins to stop
	end       context.CancelFunc
	begun     time.Time
	requests  atomic.Int64
	answered  [6]atomic.Uint64 // by the first digit of the status; 0: the connection was given to a web socket, or none
	streaming atomic.Int64
}

const (
	headTime  = 10 * time.Second
	idleTime  = 2 * time.Minute
	headBytes = 64 << 10
	// graceTime is how long requests at work may go on when the server stops.
	graceTime = 10 * time.Second
)

// New makes a server and binds its address. It answers when it runs. Certificates are
// read now, so that what is wrong with them is told at the start.
func New(o Options, b Backend) (_ *Server, err error) {
	s, err := newServer(o, b)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.files.close())
		}
	}()
	plain, err := s.o.plain()
	if err != nil {
		return nil, err
	}
	if !plain {
		if s.certs, err = readCertificates(s.o); err != nil {
			return nil, fmt.Errorf("%s: %w", s.o.Dialect, err)
		}
		s.http.TLSConfig = s.certs.config()
	}
	if s.ln, err = net.Listen("tcp", s.o.addr()); err != nil {
		return nil, fmt.Errorf("bind %s %s: %w", s.o.Dialect, s.o.addr(), err)
	}
	return s, nil
}

// newServer makes a server without a listener.
func newServer(o Options, b Backend) (*Server, error) {
	o = o.withDefaults()
	d, ok := manners[o.Dialect]
	if !ok {
		return nil, fmt.Errorf("dialect %q is none of %s, %s", o.Dialect, CherryPy, Tornado)
	}
	s := &Server{
		o: o, d: d, b: b, log: o.Log, hub: o.Hub, budget: newBudget(o), logins: newDoorkeeper(),
		bodies: semaphore.NewWeighted(max(2*o.MaxBody, 64<<20)), repeat: newRepeats(o.Now), begun: o.Now(),
		conns: newConns(o.MaxInFlight+o.MaxStreams, o.proxied), tokens: lru.New[[32]byte, struct{}](maxTokens),
	}
	if s.hub == nil {
		s.hub, s.own = NewHub(o.Now, nil), true
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.cross = http.NewCrossOriginProtection()
	for _, origin := range o.Origins {
		if origin == "*" {
			continue
		}
		if err := s.cross.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("%s: cors_origin: %w", o.Dialect, err)
		}
	}
	err := checkPaths(o)
	if err == nil {
		s.files, err = openFiles(o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Dialect, err)
	}
	s.byPath, s.mux = s.table()
	if s.doc, err = s.document(); err != nil {
		return nil, err
	}
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: headBytes,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug), ConnContext: withLink, DisableGeneralOptionsHandler: true,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxSubstreams, MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 1 << 20},
	}
	return s, nil
}

// NewHub makes the hub that listeners share. It keeps its events in a spill, if it has one,
// which is to be closed after the hub.
func NewHub(now func() time.Time, spill *stream.Spill) *stream.Hub {
	return stream.New(stream.Options{Spill: spill, Epoch: strconv.FormatInt(now().UnixMicro(), 36) + rand.Text()[:4]})
}

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

// Run answers until ctx ends. Requests at work then have 10 s, streams are told and ended.
func (s *Server) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.own {
		wg.Go(func() { Feed(ctx, s.b, s.hub, s.log) })
		defer s.hub.Close()
	}
	wg.Go(func() {
		<-ctx.Done()
		s.end()
		grace, stop := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
		defer stop()
		if s.http.Shutdown(grace) != nil {
			_ = s.http.Close() // they had their time
		}
	})
	err := errors.Join(s.serve(s.ln), s.files.close())
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve %s: %w", s.o.Dialect, err)
}

// Close releases a server that is not run.
func (s *Server) Close() error {
	s.end()
	if s.own {
		s.hub.Close()
	}
	return errors.Join(s.ln.Close(), s.files.close())
}

// TLS tells whether it serves TLS.
func (s *Server) TLS() bool { return s.certs != nil }
