package bus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/momtree/mom/internal/posix"
)

// maxSocketPath is the maximum length of a path in a unix socket address on Linux.
const maxSocketPath = 107

// place is the place of an event socket: a file, or a port of 127.0.0.1.
type place struct {
	path string
	port int
	tcp  bool
	dir  string // sock_dir, for the secret of a port
}

func placeOf(mode, dir, name string, port int) (place, error) {
	switch mode {
	case "", "ipc":
		p := place{path: filepath.Join(dir, name)}
		if len(p.path) > maxSocketPath {
			return place{}, fmt.Errorf("socket path %s has %d characters, %d fit: choose a shorter sock_dir",
				p.path, len(p.path), maxSocketPath)
		}
		return p, nil
	case "tcp":
		if port < 0 || port > 0xffff {
			return place{}, fmt.Errorf("invalid port %d for %s; use 1 to 65535", port, name)
		}
		return place{port: port, tcp: true, dir: dir}, nil
	}
	return place{}, fmt.Errorf("ipc_mode %q is unknown: give ipc or tcp", mode)
}

func (p place) network() (network, address string) {
	if p.tcp {
		return "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))
	}
	return "unix", p.path
}

// dial connects a client.
func (p place) dial(ctx context.Context) (net.Conn, error) {
	c, err := p.connect(ctx)
	if err != nil || !p.tcp || !needsSecret {
		return c, err
	}
	if err := prove(ctx, c, p.dir); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (p place) connect(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	network, address := p.network()
	return d.DialContext(ctx, network, address)
}

// listen binds the place. A socket file gets its mode before it becomes visible. Leftovers of a
// process that is gone are replaced: a socket, a named pipe or an empty file. A socket that
// answers is an error, and so is a file with content, a directory or a link.
func (p place) listen(ctx context.Context, mode fs.FileMode) (net.Listener, error) {
	network, address := p.network()
	if p.tcp {
		var lc net.ListenConfig
		return lc.Listen(ctx, network, address)
	}
	if err := p.clear(ctx); err != nil {
		return nil, err
	}
	// Linux gives a socket file the mode of the socket, minus the umask.
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		if cerr := c.Control(func(fd uintptr) { err = posix.Fchmod(fd, mode) }); cerr != nil {
			return cerr
		}
		return err
	}}
	l, err := lc.Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(p.path, mode); err != nil { // restore what the umask removed
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (p place) clear(ctx context.Context) error {
	info, err := os.Lstat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() == fs.ModeSocket:
		if err := p.vacant(ctx); err != nil {
			return err
		}
	//mutant:stale-socket-is-replaced
	case info.Mode().Type() == fs.ModeNamedPipe, info.Mode().IsRegular() && info.Size() == 0:
		// It holds nothing that could be lost, and sock_dir is for sockets only.
	default:
		return fmt.Errorf("%s is in the way: it is no socket; move it, or choose another sock_dir", p.path)
	}
	if err := os.Remove(p.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
