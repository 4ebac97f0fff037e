package channel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/zmtp"
)

const (
	// tellAfter is how long a request goes without a connection before that is told. A
	// master that restarts is not told of; a name that is not known is told at once.
	tellAfter = 3 * time.Second
	// tellAgain is how often the same is told.
	tellAgain = time.Minute
)

// reach tells the operator that the master cannot be reached, and why, while requests
// still try: their own error comes after all tries, which at a sign-in are 35 s.
type reach struct {
	mu   sync.Mutex
	said string
	at   time.Time
}

// watched is one exchange that is being watched.
type watched struct {
	c     *Channel
	op    string
	timer *time.Timer

	mu   sync.Mutex
	last error // why there is no connection
	over bool
}

// watch begins to watch an exchange. Its end has to be called.
func (c *Channel) watch(op string) *watched {
	w := &watched{c: c, op: op}
	//mutant:unreachable-master-is-reported-early
	w.timer = time.AfterFunc(c.cfg.tellAfter, func() { w.tell(false) })
	return w
}

func (w *watched) end() {
	w.timer.Stop()
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
}

// failed notes why a request was not answered, and gives the error that says most: that
// of a connection that could not be made, not that the time was up meanwhile.
func (w *watched) failed(err error) error {
	w.mu.Lock()
	if errors.Is(err, zmtp.ErrDial) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		w.last = err
	} else if w.last != nil && errors.Is(err, zmtp.ErrDial) {
		err = w.last
	}
	w.mu.Unlock()
	if w.op != signInOp && unknownName(err) { // a sign-in ends by it, and who signs in says so
		w.tell(true)
	}
	return err
}

// tell says what is known of why there is no connection, if there is none.
func (w *watched) tell(sure bool) {
	w.mu.Lock()
	err, over := w.last, w.over
	w.mu.Unlock()
	//mutant:busy-master-is-reachable
	if q, ok := w.c.req.(*zmtp.Req); over || !sure && ok && q.Stats().Conns > 0 {
		return // it is connected; that the answer takes its time is another matter
	}
	why, hint := reason(err)
	r, now := &w.c.reach, w.c.cfg.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if since := now.Sub(r.at); r.said == why && since >= 0 && since < tellAgain {
		return
	}
	r.said, r.at = why, now
	what := "master unreachable, retrying"
	if w.c.cfg.Role == "syndic" {
		what = "parent unreachable, retrying"
	}
	w.c.log.Warn(what, "host", w.c.cfg.Host, "port", w.c.cfg.Port, "reason", why, "hint", w.c.named(hint)) //nolint:sloglint // one of two constants
}

// named adds to a hint the option that names the master.
func (c *Channel) named(hint string) string {
	if c.cfg.Option == "" {
		return hint
	}
	return hint + "; it is named by the option " + c.cfg.Option
}

// reason words why there is no connection, and what to look at.
func reason(err error) (why, hint string) {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("the name %s is not known (DNS: %s)", dns.Name, dns.Err), "correct the name, or make it known by DNS or /etc/hosts"
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s cannot be looked up (DNS: %s)", dns.Name, dns.Err), "see whether this machine reaches its name server"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: nothing listens there", "see whether the master runs and whether this is its address and its ret_port"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to it", "see the network of this machine and the address"
	case err == nil, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "no answer to the attempt to connect", "see whether the machine is up and a firewall lets its ret_port through"
	case errors.Is(err, zmtp.ErrGreeting), errors.Is(err, zmtp.ErrReady):
		return "what listens there does not speak ZMTP", "see whether the port is the master's ret_port"
	}
	return logs.Cause(err), "see whether the master runs and its ret_port can be reached"
}

// unknownName tells whether a name could not be looked up: trying again at once is of
// no use.
func unknownName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}
