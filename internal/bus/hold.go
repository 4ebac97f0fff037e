package bus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// ErrLive is wrapped when another process answers at the place of a daemon.
var ErrLive = errors.New("another daemon runs here")

// Socket names a local socket of a master: a file in a directory (ipc_mode ipc), or a port of
// 127.0.0.1 (tcp).
type Socket struct {
	Mode string // ipc_mode
	Dir  string // sock_dir
	Name string
	Port int // tcp only; 0 means unknown
}

// Vacant returns nil if nobody answers on the sockets. It changes nothing: leftovers of a
// daemon that was killed are vacant. Otherwise the error wraps [ErrLive] and names the first
// socket that answers.
func Vacant(ctx context.Context, sockets ...Socket) error {
	for _, s := range sockets {
		p, err := placeOf(s.Mode, s.Dir, s.Name, s.Port)
		if err != nil {
			return err
		}
		if p.tcp && p.port == 0 {
			continue
		}
		if err := p.vacant(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p place) vacant(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := p.connect(ctx)
	switch {
	case err == nil:
		_ = c.Close()
		return fmt.Errorf("%s is answered: %w; stop it, or choose other folders for this one", p, ErrLive)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.EAGAIN): // its accept queue is full
		return fmt.Errorf("%s has a listener that is busy: %w; stop it, or choose other folders for this one", p, ErrLive)
	}
	return nil // refused, missing, or not a socket: vacant
}

func (p place) String() string {
	if p.tcp {
		return "port " + strconv.Itoa(p.port)
	}
	return p.path
}

// Holder holds a socket file that other programs look for and that serves nobody.
type Holder struct {
	l  net.Listener
	wg sync.WaitGroup
}

// Hold binds name in dir with mode 0600. It replaces leftovers of a process that is gone. If
// another process answers, the error wraps [ErrLive]. The holder accepts connections and closes
// them at once.
func Hold(ctx context.Context, dir, name string) (*Holder, error) {
	p, err := placeOf("ipc", dir, name, 0)
	if err != nil {
		return nil, err
	}
	const mode fs.FileMode = 0o600
	l, err := p.listen(ctx, mode)
	if err != nil {
		return nil, err
	}
	h := &Holder{l: l}
	h.wg.Go(func() {
		for {
			c, err := l.Accept()
			switch {
			case err == nil:
				_ = c.Close()
			case errors.Is(err, net.ErrClosed):
				return
			default: // out of descriptors: clients wait, which is harmless
				time.Sleep(100 * time.Millisecond)
			}
		}
	})
	return h, nil
}

// Close removes the file.
func (h *Holder) Close() error {
	err := h.l.Close()
	h.wg.Wait()
	return closed(err)
}

var _ io.Closer = (*Holder)(nil)
