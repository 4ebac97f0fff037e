package bus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// ServerConfig configures the sockets of a bus. Zero fields mean the defaults in brackets.
type ServerConfig struct {
	SockDir  string      // created with mode 0755 if missing
	PubName  string      // [MasterPubName] every event to every reader
	PullName string      // [MasterPullName] events to be fired
	PubMode  fs.FileMode // [0660]
	PullMode fs.FileMode // [0600]

	// Framing is the framing for readers [Auto]. Bare and Length must match the Salt whose
	// programs read the bus. The pull socket accepts both.
	Framing Framing

	IPCMode  string // "ipc" [default] or "tcp" on 127.0.0.1
	PubPort  int    // tcp only; Salt's is 4512, 0 lets the system choose
	PullPort int    // tcp only; Salt's is 4513, 0 lets the system choose

	QueueSize    int           // [16384] events waiting for a reader: the returns of a large job come in one burst
	QueueBytes   int           // [16 MiB] their bytes; a reader above is cut off
	MaxConns     int           // [1024] per socket
	MaxFrame     int           // [DefaultMaxFrame] of a writer, bytes
	StallTimeout time.Duration // [30s] for a reader to accept a batch, and for a writer to complete a frame
	Log          *slog.Logger  // [slog.Default]
}

func (c ServerConfig) withDefaults() ServerConfig {
	def := func(p *string, v string) {
		if *p == "" {
			*p = v
		}
	}
	num := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	def(&c.PubName, MasterPubName)
	def(&c.PullName, MasterPullName)
	def((*string)(&c.Framing), string(Auto))
	num(&c.QueueSize, 16<<10)
	num(&c.QueueBytes, 16<<20)
	num(&c.MaxConns, 1024)
	num(&c.MaxFrame, DefaultMaxFrame)
	if c.PubMode == 0 {
		c.PubMode = 0o660
	}
	if c.PullMode == 0 {
		c.PullMode = 0o600
	}
	if c.StallTimeout <= 0 {
		c.StallTimeout = 30 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Server serves a bus on Salt's local sockets.
type Server struct {
	bus       *Bus
	cfg       ServerConfig
	pub, pull net.Listener
	secret    []byte // that clients of a port send first; nil: they send none

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{}

	misframed                                     misframed
	readers, readersCut, refused, fired, rejected atomic.Int64
}

// Serve binds the sockets and serves them until Close.
func Serve(b *Bus, cfg ServerConfig) (*Server, error) {
	cfg = cfg.withDefaults()
	if cfg.Framing != Bare && cfg.Framing != Length && cfg.Framing != Auto {
		return nil, fmt.Errorf("event bus: framing %q is unknown: give %s, %s or %s", cfg.Framing, Auto, Bare, Length)
	}
	s := &Server{bus: b, cfg: cfg, conns: map[net.Conn]struct{}{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if err := s.listen(); err != nil {
		s.stop()
		return nil, fmt.Errorf("event bus: %w", err)
	}
	s.wg.Add(2)
	go s.accept(s.pub, s.serveReader)
	go s.accept(s.pull, s.serveWriter)
	return s, nil
}

func (s *Server) listen() error {
	cfg := s.cfg
	pub, err := placeOf(cfg.IPCMode, cfg.SockDir, cfg.PubName, cfg.PubPort)
	if err != nil {
		return err
	}
	pull, err := placeOf(cfg.IPCMode, cfg.SockDir, cfg.PullName, cfg.PullPort)
	if err != nil {
		return err
	}
	if !pub.tcp {
		if err := os.MkdirAll(cfg.SockDir, 0o755); err != nil {
			return fmt.Errorf("making sock_dir: %w", err)
		}
	} else if needsSecret {
		if s.secret, err = makeSecret(cfg.SockDir); err != nil {
			return err
		}
	}
	if s.pub, err = pub.listen(s.ctx, cfg.PubMode); err != nil {
		return err
	}
	if s.pull, err = pull.listen(s.ctx, cfg.PullMode); err != nil {
		return errors.Join(err, s.pub.Close())
	}
	return nil
}

// PubAddr returns the address for readers.
func (s *Server) PubAddr() net.Addr { return s.pub.Addr() }

// PullAddr returns the address for writers.
func (s *Server) PullAddr() net.Addr { return s.pull.Addr() }

// accept accepts connections until Close; handle owns each.
func (s *Server) accept(l net.Listener, handle func(net.Conn)) {
	defer s.wg.Done()
	var pause time.Duration
	slots := make(chan struct{}, s.cfg.MaxConns)
	for {
		c, err := l.Accept()
		if err != nil {
			if s.ctx.Err() != nil {
				return
			}
			// Out of descriptors: wait, do not spin.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.cfg.Log.Error("event bus accept failed", "socket", l.Addr().String(), "err", err, "pause", pause)
			if timing.Sleep(s.ctx, pause) != nil {
				return
			}
			continue
		}
		pause = 0
		select {
		case slots <- struct{}{}:
		default:
			s.refused.Add(1)
			s.cfg.Log.Warn("event bus refused a connection: too many", "socket", l.Addr().String(), "limit", s.cfg.MaxConns)
			_ = c.Close()
			continue
		}
		if !s.track(c) {
			_ = c.Close()
			return
		}
		go func() {
			defer s.wg.Done()
			if err := s.admit(c); err == nil {
				handle(c)
			} else if s.ctx.Err() == nil {
				s.cfg.Log.Warn("event bus refused a connection", "socket", l.Addr().String(), "err", err)
			}
			s.untrack(c)
			<-slots
		}()
	}
}

// admit checks the secret of a client, if it needs one.
func (s *Server) admit(c net.Conn) error {
	if s.secret == nil {
		return nil
	}
	return check(c, s.secret)
}

func (s *Server) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	return true
}

func (s *Server) untrack(c net.Conn) {
	_ = c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Close unbinds the sockets and removes their files, closes all connections and waits for them.
func (s *Server) Close() error {
	s.stop()
	err := errors.Join(closed(s.pub.Close()), closed(s.pull.Close()))
	s.mu.Lock()
	for c := range s.conns {
		_ = c.Close()
	}
	s.conns = nil
	s.mu.Unlock()
	s.wg.Wait()
	return err
}

// closed drops the error of closing twice.
func closed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// ServerStats counts the connections and events of a server.
type ServerStats struct {
	Readers    int64 // connected now
	ReadersCut int64 // cut off because they were slow
	Refused    int64 // connections above MaxConns
	Fired      int64 // events accepted from writers
	Rejected   int64 // frames of writers without an event
}

// Stats returns the counts since Serve.
func (s *Server) Stats() ServerStats {
	return ServerStats{
		Readers: s.readers.Load(), ReadersCut: s.readersCut.Load(), Refused: s.refused.Load(),
		Fired: s.fired.Load(), Rejected: s.rejected.Load(),
	}
}
