package mysql

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

const (
	// hostRest is how long a host that failed is tried after the others, unless Options.Rest is set.
	hostRest = 10 * time.Second
	// hostAnswer bounds connecting to one host of several, if Options.Timeout is not shorter.
	hostAnswer = 5 * time.Second
)

// addresses returns the servers of mysql.host as host:port. A host without a port has
// mysql.port.
func (o *Options) addresses() ([]string, error) {
	var all []string
	for entry := range strings.SplitSeq(o.Host, ",") {
		entry = strings.TrimSpace(entry)
		host, port := entry, strconv.Itoa(o.Port)
		// More than one colon without brackets is an IPv6 address.
		if strings.HasPrefix(entry, "[") || strings.Count(entry, ":") == 1 {
			var err error
			if host, port, err = net.SplitHostPort(entry); err != nil && strings.HasSuffix(entry, "]") {
				host, port, err = strings.Trim(entry, "[]"), strconv.Itoa(o.Port), nil
			}
			if n, nerr := strconv.Atoi(port); err != nil || nerr != nil || n < 1 || n > 65535 {
				return nil, fmt.Errorf("mysql.host: %q is not a host or host:port", entry)
			}
		}
		if host == "" {
			return nil, fmt.Errorf("mysql.host: %q has an empty entry; separate hosts by one comma", o.Host)
		}
		all = append(all, net.JoinHostPort(host, port))
	}
	return all, nil
}

// hosts connects to the first server of a list that takes writes, in the order of the list.
// A host that failed is tried after the others for a while. Connections are renewed
// (Options.Lifetime), so writers return to the first host soon after it is back.
type hosts struct {
	all      []*host
	readOnly bool // a host that takes no writes will do
	answer   time.Duration
}

// host is one server.
type host struct {
	addr      string
	connector sqldriver.Connector
	rest      time.Duration

	mu     sync.Mutex
	life   uint64 // raised by each failure; connections of an earlier life are not used again
	failed time.Time
}

// fail records that a connection of a life has failed.
func (h *host) fail(life uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if life == h.life { // else it failed since, and may be back
		h.life++
		h.failed = time.Now()
	}
}

func (h *host) now() (life uint64, rests bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.life, time.Since(h.failed) < h.rest
}

// newHosts returns a connector to the servers of o.
func newHosts(o *Options, slow bool) (*hosts, error) {
	addrs := []string{o.UnixSocket}
	if o.UnixSocket == "" {
		var err error
		if addrs, err = o.addresses(); err != nil {
			return nil, err
		}
	}
	h := &hosts{readOnly: o.ReadOnly, answer: min(hostAnswer, o.Timeout)}
	for _, addr := range addrs {
		c, err := o.config(addr)
		if err != nil {
			return nil, err
		}
		if slow {
			c.ReadTimeout, c.WriteTimeout = 0, 0
		}
		connector, err := driver.NewConnector(c)
		if err != nil {
			return nil, err
		}
		h.all = append(h.all, &host{addr: addr, connector: connector, rest: cmp.Or(o.Rest, hostRest)})
	}
	return h, nil
}

// Driver returns the driver of the servers.
func (h *hosts) Driver() sqldriver.Driver { return h.all[0].connector.Driver() }

// Connect returns a connection to the first host that takes writes. If none does, it returns
// one to the first that answers: reads may succeed, and a write returns the reason.
func (h *hosts) Connect(ctx context.Context) (sqldriver.Conn, error) {
	order := slices.Clone(h.all)
	slices.SortStableFunc(order, func(a, b *host) int {
		_, rests := a.now()
		_, restsToo := b.now()
		switch {
		case rests == restsToo:
			return 0
		case rests:
			return 1
		}
		return -1
	})
	var spare *conn
	var errs []error
	for _, x := range order {
		c, err := h.connect(ctx, x)
		switch {
		case err != nil:
			errs = append(errs, err)
		case c.state == nil:
			if spare != nil {
				_ = spare.Close()
			}
			return c, nil
		case spare == nil:
			spare = c
		default:
			_ = c.Close()
		}
		if ctx.Err() != nil {
			break
		}
	}
	if spare != nil {
		return spare, nil
	}
	return nil, errors.Join(errs...)
}

// errSilent is the error of a host of several that did not answer in time.
type errSilent struct {
	addr   string
	within time.Duration
}

func (e errSilent) Error() string   { return fmt.Sprintf("%s: no answer within %v", e.addr, e.within) }
func (e errSilent) Timeout() bool   { return true }
func (e errSilent) Temporary() bool { return true }

func (h *hosts) connect(ctx context.Context, x *host) (*conn, error) {
	life, _ := x.now()
	within, cancel := ctx, context.CancelFunc(func() {})
	if len(h.all) > 1 {
		within, cancel = context.WithTimeout(ctx, h.answer)
	}
	defer cancel()
	raw, err := x.connector.Connect(within)
	var c *conn
	if err == nil {
		c, err = newConn(within, raw, x, life, len(h.all) > 1)
	}
	if err == nil {
		if h.readOnly && errors.Is(c.state, errReadOnly) {
			c.state = nil
		}
		return c, nil
	}
	x.fail(life)
	if within.Err() != nil && ctx.Err() == nil {
		return nil, errSilent{x.addr, h.answer}
	}
	if len(h.all) > 1 {
		err = fmt.Errorf("%s: %w", x.addr, err)
	}
	return nil, err
}

// names returns the addresses for messages.
func (o *Options) names() string {
	if o.UnixSocket != "" {
		return o.UnixSocket
	}
	addrs, err := o.addresses()
	return cmp.Or(strings.Join(addrs, ","), fmt.Sprint(err))
}
