package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/zmtp"
)

// Run serves the parent until ctx ends. Errors that need an operator, such as a changed or refused
// key, are logged and retried every Pace.Operator, so a fix at the parent suffices.
func (l *Link) Run(ctx context.Context, p Parts) {
	for ctx.Err() == nil {
		if err := l.serve(ctx, p); err != nil && ctx.Err() == nil {
			l.o.Log.Error("parent unusable, its returns wait", "err", err, "retry_in", l.o.Pace.Operator)
			_ = timing.Sleep(ctx, l.o.Pace.Operator)
		}
	}
}

// serve signs in and keeps the subscription until ctx ends or the subscription must be renewed.
func (l *Link) serve(ctx context.Context, p Parts) error {
	res, err := l.signIn(ctx)
	if err != nil {
		return err
	}
	l.o.Log.Info("signed in to parent", "protocol", res.Version)
	addr := l.o.Channel.PublishAddr(res, l.o.Upper.PublishPort)
	ctx, renew := context.WithCancelCause(ctx)
	defer renew(nil)
	dial := channel.DialOptions(l.o.Upper)
	if up := l.o.Upper; up.Place("recon_default") == (config.Place{}) && up.Place("recon_max") == (config.Place{}) {
		// Salt's ten seconds protect a master from a crowd of minions. Nodes are few, and a whole
		// subtree waits for this one.
		dial.BackoffMin, dial.BackoffMax = 200*time.Millisecond, 2*time.Second
	}
	// A dead connection that is not detected cuts off a whole subtree.
	dial.HeartbeatInterval, dial.HeartbeatTimeout = l.o.Pace.Beat, 3*l.o.Pace.Beat
	dial.HeartbeatTTL = dial.HeartbeatTimeout
	dial.Identity, dial.Log = l.o.Channel.Session(), l.o.Log
	dial.OnConnect = l.connected
	dial.OnDisconnect = func(err error) {
		p.Publications.Tail().Lost()
		l.disconnected()
		if ctx.Err() == nil {
			l.o.Log.Warn("connection to parent lost", "err", err)
		}
	}
	sub := zmtp.NewSub(addr, dial, l.o.Channel.Topics(l.o.Upper.ZmqFiltering))
	var wg sync.WaitGroup
	wg.Go(func() { l.announce(ctx, p, renew) })
	wg.Go(func() { l.checkPort(ctx, addr, renew) })
	err = sub.Run(ctx, func(frames [][]byte) { p.Publications.Take(ctx, frames[len(frames)-1]) })
	wg.Wait()
	if errors.Is(err, errMoved) || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("subscription at %s: %w", addr, err)
}

// nameWait is the least pause between look-ups of a name that fails to resolve. Salt's retry_dns of
// 30 s is meant for minions; here a whole subtree waits.
const nameWait = 5 * time.Second

func (l *Link) signIn(ctx context.Context) (channel.Result, error) {
	retry := l.o.Pace.Backoff()
	for {
		res, err := l.o.Channel.SignIn(ctx)
		if err == nil || ctx.Err() != nil || channel.Fatal(err) {
			return res, err
		}
		wait := retry.Wait()
		var dns *net.DNSError
		if errors.As(err, &dns) {
			wait = max(wait, nameWait)
		}
		l.o.Log.Warn("sign-in at parent failed", "err", err, "retry_in", wait)
		if timing.Sleep(ctx, wait) != nil {
			return res, ctx.Err()
		}
	}
}

// checkPort asks a parent whose subscription stays down for its publish port, which may have
// changed.
func (l *Link) checkPort(ctx context.Context, addr string, renew context.CancelCauseFunc) {
	for timing.Sleep(ctx, l.o.Pace.Report) == nil {
		l.mu.Lock()
		away := l.conn%2 == 0
		l.mu.Unlock()
		if !away {
			continue
		}
		res, err := l.o.Channel.Attempt(ctx)
		if err == nil && l.o.Channel.PublishAddr(res, l.o.Upper.PublishPort) != addr {
			renew(errMoved)
			return
		}
	}
}

// connected records a new connection. Connections have odd numbers.
func (l *Link) connected() {
	l.mu.Lock()
	l.conn++
	n := l.conn
	l.mu.Unlock()
	select {
	case <-l.ready: // drop an older one
	default:
	}
	l.ready <- n
}

func (l *Link) disconnected() {
	l.change(func() {
		l.conn++
		l.up = false
	})
}
