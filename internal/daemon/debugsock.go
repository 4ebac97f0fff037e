package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"path/filepath"
	"time"
)

// DebugSocketPath returns the socket of a daemon in its sock_dir. role is master, minion or
// api; a node uses that of its master.
func DebugSocketPath(sockDir, role string) string {
	return filepath.Join(sockDir, "debug_"+role+".ipc")
}

// profileTime bounds one request: the longest CPU profile or trace.
const profileTime = 10 * time.Minute

// DebugServer is the debug socket of a daemon.
type DebugServer struct {
	ln   net.Listener
	http *http.Server
}

// ListenDebug creates the socket, for this user only (mode 0600); metrics may be nil. It
// replaces a socket that a dead daemon left. Run serves it.
func ListenDebug(path string, metrics http.Handler) (*DebugServer, error) {
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = c.Close() // only to check whether a daemon answers
		return nil, fmt.Errorf("debug_socket: another daemon serves %s", path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("debug_socket: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("debug_socket: %w", err)
	}
	ln, err := listenPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("debug_socket: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	if metrics != nil {
		mux.Handle("GET /metrics", metrics)
	}
	return &DebugServer{ln: ln, http: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: profileTime}}, nil
}

// listenPrivate binds the socket in a directory of its own and moves it into place when it has
// its mode, so that nobody else can connect in between.
func listenPrivate(path string) (net.Listener, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), "d")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, "s")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(at, 0o600), os.Rename(at, path)); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return &placed{ln, path}, nil
}

// placed is a listener whose socket was moved to path.
type placed struct {
	net.Listener
	path string
}

// Close removes the socket.
func (p *placed) Close() error {
	err := p.Listener.Close()
	if e := os.Remove(p.path); e != nil && !errors.Is(e, os.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

// Run serves until ctx ends, then removes the socket.
func (s *DebugServer) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() }) // the error of Serve is returned
	defer stop()
	if err := s.http.Serve(s.ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve debug_socket: %w", err)
	}
	return nil
}

// DebugClient returns a client for the daemon behind a socket.
func DebugClient(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
		DisableKeepAlives: true,
	}}
}
