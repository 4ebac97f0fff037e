package channel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/zmtp"
)

const (
	// logAfter is how long a request may be without a connection before that is logged. It is
	// longer than a restart of the master takes. An unknown host name is logged at once.
	logAfter = 3 * time.Second
	// logAgain is the pause before the same reason is logged again.
	logAgain = time.Minute
)

// reach logs that the master cannot be reached, and why, while requests still retry. Their own
// error comes only after all tries, which take 35 s for a sign-in.
type reach struct {
	mu   sync.Mutex
	said string
	at   time.Time
}

// watched is an exchange whose connection is watched.
type watched struct {
	c     *Channel
	op    string
	timer *time.Timer

	mu   sync.Mutex
	last error // why there is no connection
	over bool
}

// watch starts to watch an exchange. The caller must call end.
func (c *Channel) watch(op string) *watched {
	w := &watched{c: c, op: op}
	//mutant:unreachable-master-is-reported-early
	w.timer = time.AfterFunc(c.cfg.logAfter, func() { w.report(false) })
	return w
}

func (w *watched) end() {
	w.timer.Stop()
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
}

// failed records why a request was not answered, and returns the more specific error: a failed
// connection rather than the timeout that followed.
func (w *watched) failed(err error) error {
	w.mu.Lock()
	if errors.Is(err, zmtp.ErrDial) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		w.last = err
	} else if w.last != nil && errors.Is(err, zmtp.ErrDial) {
		err = w.last
	}
	w.mu.Unlock()
	if w.op != signInOp && unknownName(err) { // a sign-in fails with this error, which its caller logs
		w.report(true)
	}
	return err
}

// report logs why the connection failed, unless it is up.
func (w *watched) report(sure bool) {
	w.mu.Lock()
	err, over := w.last, w.over
	w.mu.Unlock()
	//mutant:busy-master-is-reachable
	if q, ok := w.c.req.(*zmtp.Req); over || !sure && ok && q.Stats().Conns > 0 {
		return // connected: a slow answer is not logged here
	}
	why, hint := reason(err)
	r, now := &w.c.reach, w.c.cfg.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if since := now.Sub(r.at); r.said == why && since >= 0 && since < logAgain {
		return
	}
	r.said, r.at = why, now
	what := "master unreachable, retrying"
	if w.c.cfg.Role == "syndic" {
		what = "parent unreachable, retrying"
	}
	w.c.log.Warn(what, "host", w.c.cfg.Host, "port", w.c.cfg.Port, "reason", why, "hint", w.c.named(hint)) //nolint:sloglint // one of two constants
}

// named adds to a hint the name of the option that holds the master.
func (c *Channel) named(hint string) string {
	if c.cfg.Option == "" {
		return hint
	}
	return hint + "; it is named by the option " + c.cfg.Option
}

// reason describes why the connection failed, and what to check.
func reason(err error) (why, hint string) {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("the name %s is not known (DNS: %s)", dns.Name, dns.Err), "correct the name, or make it known by DNS or /etc/hosts"
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s cannot be looked up (DNS: %s)", dns.Name, dns.Err), "see whether this machine reaches its name server"
	case errors.Is(err, posix.ConnRefused):
		return "connection refused: nothing listens there", "see whether the master runs and whether this is its address and its ret_port"
	case errors.Is(err, posix.HostUnreachable), errors.Is(err, posix.NetUnreachable):
		return "no route to it", "see the network of this machine and the address"
	case err == nil, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, posix.ConnTimedOut):
		return "no answer to the attempt to connect", "see whether the machine is up and a firewall lets its ret_port through"
	case errors.Is(err, zmtp.ErrGreeting), errors.Is(err, zmtp.ErrReady):
		return "what listens there does not speak ZMTP", "see whether the port is the master's ret_port"
	}
	return logs.Cause(err), "see whether the master runs and its ret_port can be reached"
}

// unknownName reports whether a name lookup failed, so that an immediate retry is useless.
func unknownName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}
