package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/treereport"
	"github.com/momtree/mom/topology"
)

// deafReports is how many times the time between two reports a parent may find no
// subscription before a new one is made. Reports that changes of the tree bring sooner
// count for nothing: the subscription's own sign of life comes first.
const deafReports = 3

const (
	// maxUnbound is how often a greeting is repeated because the parent does not
	// see the subscription, unboundPause the time between two of these.
	maxUnbound   = 20
	unboundPause = 100 * time.Millisecond
)

// errMoved ends a subscription that leads nowhere any more.
var errMoved = errors.New("the subscription has to be made anew")

// announcer tells one parent who subscribes and what the tree below looks like.
type announcer struct {
	*Link
	parts  Parts
	conn   uint64 // of the subscription that was announced; 0: none yet
	tree   *treereport.Report
	python bool      // the parent does not know presence
	bound  bool      // the last report found a subscription
	deaf   time.Time // of the first report that found none
}

// announce reports after each connect, soon after each change of the tree, and
// now and then.
func (l *Link) announce(ctx context.Context, p Parts, renew context.CancelCauseFunc) {
	a := &announcer{Link: l, parts: p, tree: treereport.New(l.o.Tree, l.o.Name, l.o.Rescues)}
	defer a.tree.Left()
	changed, stop := l.o.Tree.Watch()
	defer stop()
	every := time.NewTicker(l.o.Pace.Report)
	defer every.Stop()
	retry := l.o.Pace.Backoff()
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-l.ready:
			a.conn, a.deaf = n, time.Time{}
			a.tree.Anew()
			retry.Reset()
			again = nil
			if a.greeted(ctx, renew) != nil {
				again = time.After(retry.Wait())
			}
			continue
		case <-again:
			again = nil
			if a.greeted(ctx, renew) != nil {
				again = time.After(retry.Wait())
			}
			continue
		case <-changed:
		case <-every.C:
		}
		if !l.IsUp() {
			a.tree.Left()
			continue
		}
		if a.python {
			continue
		}
		if err := a.report(ctx, false); err != nil {
			if errors.Is(err, topology.ErrLoop) {
				renew(err)
				return
			}
			if ctx.Err() == nil {
				l.o.Log.Warn("parent did not accept the presence report", "err", err)
			}
			continue
		}
		if since := time.Since(a.deaf); !a.deaf.IsZero() && since >= deafReports*l.o.Pace.Report {
			l.o.Rescues.Found("report of presence", "the subscription of this node, which the master above does not see; it is made anew", since, "parent", l.o.Name)
			renew(errMoved)
			return
		}
		// Changes that follow each other closely become one report.
		if sleep.For(ctx, l.o.Pace.ReportMin) != nil {
			return
		}
	}
}

// greeted is greet; a parent that is below this node is left.
func (a *announcer) greeted(ctx context.Context, renew context.CancelCauseFunc) error {
	err := a.greet(ctx)
	if errors.Is(err, topology.ErrLoop) {
		renew(err)
	}
	return err
}

// greet makes a new subscription known, and the link usable.
func (a *announcer) greet(ctx context.Context) error {
	err := a.report(ctx, true)
	// A parent that has not seen the subscription yet may publish something before
	// it does: it has to hear from this node once more.
	for n := 0; err == nil && !a.bound && n < maxUnbound && sleep.For(ctx, unboundPause) == nil; n++ {
		err = a.report(ctx, true)
	}
	if err == nil {
		err = a.start(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			a.o.Log.Warn("parent did not accept the announcement of this node", "err", err,
				"hint", "the parent's log gives the reason; admit a new node there with mom node admit ID")
		}
		return err
	}
	// What the parent has missed while it was away.
	a.parts.Greeted()
	a.setUp(a.conn, a.parts.Up)
	return nil
}

// report tells presence, with the tree if the parent does not have it yet.
func (a *announcer) report(ctx context.Context, fresh bool) error {
	var reply *wire.Map
	known := false
	a.tree.Begin()
	for again := true; again; {
		p := channel.Presence{Version: a.o.Version}
		if !a.tree.Fill(&p) {
			p.Heard = a.parts.Publications.Tail()
		}
		soon, done := a.patience.begin(ctx, "presence", a.o.Pace.Answer)
		var err error
		reply, known, err = a.o.Channel.Announce(soon, p)
		done(err)
		if err != nil {
			return fmt.Errorf("report presence: %w", err)
		}
		if again, err = a.tree.Take(reply, known); err != nil {
			return err
		}
	}
	a.python = !known
	a.ours.Store(known)
	if a.parts.Publications.Tail().Answer(reply) {
		a.parts.Publications.Fetch()
	}
	seen, told := reply.Get("session")
	a.bound = !told || seen != false
	switch {
	case a.bound || fresh:
		a.deaf = time.Time{}
	case a.deaf.IsZero():
		a.deaf = time.Now()
	}
	return nil
}

// start fires Salt's two events of a syndic that begins its work.
func (a *announcer) start(ctx context.Context) error {
	id := a.o.Upper.ID
	text := fmt.Sprintf("Syndic %s started at %s", id, time.Now().Format(time.ANSIC))
	tags := []string{"salt/syndic/" + id + "/start"}
	if a.o.Upper.EnableLegacyStartupEvents {
		tags = append([]string{"syndic_start"}, tags...)
	}
	for _, tag := range tags {
		if _, err := a.Request(ctx, wire.NewMap("id", id, "cmd", "_minion_event", "pretag", nil, "data", text, "tag", tag)); err != nil {
			return fmt.Errorf("start event: %w", err)
		}
	}
	return nil
}
