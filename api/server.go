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
	"time"

	"github.com/momtree/mom/api/listener"
	"github.com/momtree/mom/api/stream"
)

const (
	headTime  = 10 * time.Second
	idleTime  = 2 * time.Minute
	headBytes = 64 << 10
	// graceTime is how long requests in progress may continue when the server stops.
	graceTime = 10 * time.Second
	// maxSubstreams bounds the requests of one connection of HTTP/2.
	maxSubstreams = 64
)

// Server is one listener of the API.
type Server struct {
	dialect  Dialect
	ln       net.Listener
	limiter  *listener.Limiter
	http     *http.Server
	handlers handlers

	hub *stream.Hub
	// feed publishes the events of the master to the hub; nil: the process does.
	feed func(context.Context)
	end  context.CancelFunc // ends streams
}

// New makes a server and binds its address. Certificates are read now, so that a fault in them is
// an error at the start. The caller calls Run or Close.
func New(o Options, b Backend) (_ *Server, err error) {
	o = o.withDefaults()
	plain, err := o.plain()
	if err != nil {
		return nil, err
	}
	s, err := newServer(o, b)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	if !plain {
		certs, err := listener.ReadCertificates(o.Cert, o.Key, o.Chain, o.Now, o.Log)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Dialect, err)
		}
		s.http.TLSConfig = certs.Config()
	}
	if s.ln, err = net.Listen("tcp", o.addr()); err != nil {
		return nil, fmt.Errorf("bind %s %s: %w", o.Dialect, o.addr(), err)
	}
	return s, nil
}

// newServer makes a server without a listener.
func newServer(o Options, b Backend) (*Server, error) {
	o = o.withDefaults()
	s := &Server{dialect: o.Dialect, hub: o.Hub, limiter: listener.NewLimiter(o.MaxInFlight+o.MaxStreams, proxies(o.Proxies).contains)}
	if s.hub == nil {
		s.hub = NewHub(o.Now, nil)
		s.feed = func(ctx context.Context) { Feed(ctx, b, s.hub, o.Log) }
	}
	var ending context.Context
	ending, s.end = context.WithCancel(context.Background())
	serve, h, err := build(ending, o, b, s.hub)
	if err != nil {
		s.end()
		return nil, err
	}
	s.handlers = h
	s.http = &http.Server{
		Handler: serve, ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: headBytes,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug), ConnContext: listener.ConnContext, DisableGeneralOptionsHandler: true,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxSubstreams, MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 1 << 20},
	}
	return s, nil
}

// NewHub makes the hub that the listeners of a process share. It keeps its events in a spill, if
// there is one, which the caller closes after the hub.
func NewHub(now func() time.Time, spill *stream.Spill) *stream.Hub {
	return stream.New(stream.Options{Spill: spill, Epoch: strconv.FormatInt(now().UnixMicro(), 36) + rand.Text()[:4]})
}

// Addr is the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

// TLS reports whether the server uses TLS.
func (s *Server) TLS() bool { return s.http.TLSConfig != nil }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.http.Handler.ServeHTTP(w, r) }

// Run serves until ctx ends. Then streams end, and requests in progress have 10 s.
func (s *Server) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.feed != nil {
		wg.Go(func() { s.feed(ctx) })
		defer s.hub.Close()
	}
	wg.Go(func() {
		<-ctx.Done()
		s.end()
		grace, stop := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
		defer stop()
		if s.http.Shutdown(grace) != nil {
			_ = s.http.Close() // their time is over
		}
	})
	err := errors.Join(listener.Serve(s.http, s.ln, s.limiter), s.handlers.files.close())
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve %s: %w", s.dialect, err)
}

// Close releases a server that does not run.
func (s *Server) Close() error { return errors.Join(s.ln.Close(), s.release()) }

// release releases all but the address.
func (s *Server) release() error {
	s.end()
	if s.feed != nil {
		s.hub.Close()
	}
	return s.handlers.files.close()
}
