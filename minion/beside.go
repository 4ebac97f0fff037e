package minion

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// signalTag is the tag of events that ask the daemon to signal one of its jobs. It is mom's
// own: other minions run each job in a separate process.
const signalTag = "mom_signal_job"

const (
	// fireTimeout bounds sending an event from a call to the daemon.
	fireTimeout = 3 * time.Second
	// askTimeout bounds a call's wait for the daemon's answer.
	askTimeout = 30 * time.Second
)

// errNoAnswer is returned when the daemon does not answer a request.
var errNoAnswer = errors.New("the minion daemon does not answer")

// beside is the access of another process on this host to the minion daemon, through its event
// bus.
type beside struct {
	cfg *config.Minion
	now func() time.Time
}

// dial connects to the event bus of the daemon.
func (d beside) dial(ctx context.Context) (*bus.Client, error) {
	pub, pull, err := bus.MinionNames(d.cfg.ID, d.cfg.HashType)
	if err != nil {
		return nil, err
	}
	c, err := bus.Dial(ctx, bus.ClientConfig{
		SockDir: d.cfg.SockDir, PubName: pub, PullName: pull,
		IPCMode: d.cfg.IpcMode, PubPort: d.cfg.TcpPubPort, PullPort: d.cfg.TcpPullPort,
		Framing: bus.Framing(d.cfg.IpcFraming), Now: d.now,
	})
	if err != nil {
		return nil, fmt.Errorf("reach the minion daemon: %w", err)
	}
	return c, nil
}

// fire puts an event on the bus of the daemon.
func (d beside) fire(tag string, data any) error {
	ctx, cancel := context.WithTimeout(context.Background(), fireTimeout)
	defer cancel()
	c, err := d.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return c.Fire(ctx, tag, data)
}

// ask fires an event on the bus of the daemon and waits for the event that answers.
func (d beside) ask(ctx context.Context, tag string, data any, answer string) (*wire.Map, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askTimeout, errNoAnswer)
	defer cancel()
	c, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	if err := c.Fire(ctx, tag, data); err != nil {
		return nil, fmt.Errorf("send event to the minion daemon: %w", err)
	}
	for {
		ev, err := c.Next(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, fmt.Errorf("await the minion daemon: %w", err)
		}
		if ev.Tag == answer {
			return wire.DecodeMap(ev.Data)
		}
	}
}

// signal asks the process that runs a job to signal it: a signal to the process itself would
// end all its jobs.
func (d beside) signal(jid string, sig syscall.Signal) error {
	return d.fire(signalTag, wire.NewMap("jid", jid, "signal", int(sig)))
}
