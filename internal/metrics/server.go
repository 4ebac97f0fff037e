package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Runner runs until ctx ends.
type Runner func(ctx context.Context)

// Check is the result of one check of a daemon.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"` // why it failed
}

// Checker runs checks. It must respect ctx, which allows a few seconds.
type Checker func(ctx context.Context) []Check

// Server serves the metrics and checks of a daemon.
type Server struct {
	ln      net.Listener
	http    *http.Server
	sources []Source
}

const (
	// checkTime bounds the checks for one request.
	checkTime = 3 * time.Second
	// ioTime bounds one request and its response.
	ioTime = 30 * time.Second
	// maxScrapes bounds concurrent scrapes.
	maxScrapes = 4
)

// Listen binds addr, "host:port", for a daemon with a role and a version. Run serves it.
func Listen(addr, role, version string, sources ...Source) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("bind metrics_listen %s: %w", addr, err)
	}
	s := &Server{ln: ln, sources: sources}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", Handler(role, version, sources...))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"alive": true})
	})
	mux.HandleFunc("GET /readyz", s.ready)
	s.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: ioTime, WriteTimeout: ioTime, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10,
	}
	return s, nil
}

// Handler serves the metrics of a daemon in Prometheus' text format.
func Handler(role, version string, sources ...Source) http.Handler {
	return promhttp.HandlerFor(registry(role, version, sources...), promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes, Timeout: ioTime / 2})
}

// registry returns a registry with the metrics of a daemon.
func registry(role, version string, sources ...Source) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	info := Source{Collect: func(s *Sink) { s.Set("mom_info", 1, role, version) }}
	reg.MustRegister(collector{append([]Source{info}, sources...)},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}

// Addr returns the address of the listener.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

// Close closes a server that does not run.
func (s *Server) Close() error { return s.ln.Close() }

// ready responds with 200 if all checks pass, otherwise with 503 and the reasons.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	checks, ok := []Check{}, true
	for _, src := range s.sources {
		if src.Checks == nil {
			continue
		}
		for _, c := range src.Checks(ctx) {
			checks, ok = append(checks, c), ok && c.OK
		}
	}
	status := http.StatusOK
	if !ok {
		status = http.StatusServiceUnavailable
	}
	reply(w, status, map[string]any{"ready": ok, "checks": checks})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has disconnected
}

// Run serves until ctx ends, then closes the listener.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for _, src := range s.sources {
		if src.Run != nil {
			wg.Go(func() { src.Run(ctx) })
		}
	}
	wg.Go(func() {
		<-ctx.Done()
		_ = s.http.Close()
	})
	if err := s.http.Serve(s.ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics_listen %s: %w", s.ln.Addr(), err)
	}
	return nil
}
