package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// deafReports is how many report intervals a parent may see no subscription before it is made anew.
// Extra reports caused by changes of the tree do not count: heartbeats detect a dead subscription
// sooner.
const deafReports = 3

const (
	// maxUnbound is how often the announcement is repeated while the parent does not see the
	// subscription, unboundPause the time between repetitions.
	maxUnbound   = 20
	unboundPause = 100 * time.Millisecond
)

// errMoved ends a subscription that is to be made anew.
var errMoved = errors.New("subscription must be renewed")

// announcer announces this node to one parent and reports the tree below it.
type announcer struct {
	*Link
	parts  Parts
	conn   uint64 // of the announced subscription; 0: none
	tree   *TreeReport
	python bool      // the parent does not know presence
	bound  bool      // the last report found a subscription
	deaf   time.Time // time of the first report that found no subscription
}

// announce sends a report after each connect, soon after each change of the tree, and at least
// every Pace.Report.
func (l *Link) announce(ctx context.Context, p Parts, renew context.CancelCauseFunc) {
	a := &announcer{Link: l, parts: p, tree: NewTreeReport(l.o.Tree, l.o.Name, l.o.Rescues)}
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
			a.tree.Reset()
			retry.Reset()
			again = nil
			if a.greetOrLeave(ctx, renew) != nil {
				again = time.After(retry.Wait())
			}
			continue
		case <-again:
			again = nil
			if a.greetOrLeave(ctx, renew) != nil {
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
			l.o.Rescues.Found("report of presence", "a subscription the parent does not see, renewing it", since, "parent", l.o.Name)
			renew(errMoved)
			return
		}
		// Closely following changes share one report.
		if timing.Sleep(ctx, l.o.Pace.ReportMin) != nil {
			return
		}
	}
}

// greetOrLeave calls greet, and ends the subscription if the parent is below this node.
func (a *announcer) greetOrLeave(ctx context.Context, renew context.CancelCauseFunc) error {
	err := a.greet(ctx)
	if errors.Is(err, topology.ErrLoop) {
		renew(err)
	}
	return err
}

// greet announces a new subscription and marks the link as up.
func (a *announcer) greet(ctx context.Context) error {
	err := a.report(ctx, true)
	// A parent that does not see the subscription yet may publish before it does. Announcing again
	// after that lets it send what this node missed.
	for n := 0; err == nil && !a.bound && n < maxUnbound && timing.Sleep(ctx, unboundPause) == nil; n++ {
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
	// Send the reports that the parent missed while it was away.
	a.parts.Greeted()
	a.setUp(a.conn, a.parts.Up)
	return nil
}

// report sends a presence report, with the tree or its changes if the parent lacks them.
func (a *announcer) report(ctx context.Context, fresh bool) error {
	var reply *wire.Map
	known := false
	a.tree.Begin()
	for again := true; again; {
		p := channel.Presence{Version: a.o.Version}
		if !a.tree.Fill(&p) {
			p.Heard = a.parts.Publications.Tail()
			if left := a.o.Left(time.Now()); len(left) > 0 {
				p.More.Set(sibling.AnnouncedVisits, left)
			}
		}
		soon, done := a.timeouts.begin(ctx, "presence", a.o.Pace.Answer)
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
	seen, ok := reply.Get("session")
	a.bound = !ok || seen != false
	switch {
	case a.bound || fresh:
		a.deaf = time.Time{}
	case a.deaf.IsZero():
		a.deaf = time.Now()
	}
	return nil
}

// start fires the two start events of Salt's syndic.
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
