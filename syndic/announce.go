package syndic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/bus"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// deafReports is how many times the time between two reports a parent may find no
// subscription before a new one is made. Reports that changes of the tree bring sooner
// count for nothing: the subscription's own sign of life comes first.
const deafReports = 3

// announcer tells one parent who subscribes and what the tree below looks like.
type announcer struct {
	*link
	conn   uint64 // of the subscription that was announced; 0: none yet
	tree   treeReport
	python bool      // the parent does not know presence
	bound  bool      // the last report found a subscription
	deaf   time.Time // of the first report that found none
}

// announce reports after each connect, soon after each change of the tree, and
// now and then.
func (l *link) announce(ctx context.Context, renew context.CancelCauseFunc) {
	a := &announcer{link: l, tree: treeReport{tree: l.s.local.Tree(), name: l.name, rescues: l.s.rescues}}
	defer a.tree.left()
	changed, stop := l.s.local.Tree().Watch()
	defer stop()
	every := time.NewTicker(l.s.pace.report)
	defer every.Stop()
	retry := l.s.pace.backoff()
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-l.ready:
			a.conn, a.tree.told, a.tree.asked, a.deaf = n, 0, false, time.Time{}
			retry.reset()
			again = nil
			if a.greeted(ctx, renew) != nil {
				again = time.After(retry.wait())
			}
			continue
		case <-again:
			again = nil
			if a.greeted(ctx, renew) != nil {
				again = time.After(retry.wait())
			}
			continue
		case <-changed:
		case <-every.C:
		}
		if !l.isUp() {
			a.tree.left()
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
				l.log.Warn("The master above did not take the report of presence", "err", err)
			}
			continue
		}
		if since := time.Since(a.deaf); !a.deaf.IsZero() && since >= deafReports*l.s.pace.report {
			l.s.rescues.Found("report of presence", "the subscription of this node, which the master above does not see; it is made anew", since, "parent", l.name)
			renew(errMoved)
			return
		}
		// Changes that follow each other closely become one report.
		if sleep.For(ctx, l.s.pace.reportMin) != nil {
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
			a.log.Warn("The master above did not take the greeting of this node", "err", err)
		}
		return err
	}
	// What the parent has missed while it was away.
	a.retell(false)
	a.setUp(a.conn)
	return nil
}

// concerns tells whether a parent should hear who has to answer a job: it asked
// for it, or nobody above did. One that did not ask is owed no returns either, and
// would wait for them; if it wants the job answered it gives it to this node anew.
func (l *link) concerns(e bus.Event) bool { return l.concernedBy(jobOf(e.Tag)) }

func (l *link) concernedBy(jid string) bool {
	asked := l.s.parents.origins.of(jid, "")
	return len(asked) == 0 || slices.Contains(asked, l.ch.Addr())
}

// report tells presence, with the tree if the parent does not have it yet.
func (a *announcer) report(ctx context.Context, fresh bool) error {
	var reply *wire.Map
	known := false
	a.tree.begin()
	for again := true; again; {
		p := channel.Presence{Version: a.s.version}
		if !a.tree.fill(&p) {
			p.Heard = &a.tail
		}
		soon, done := a.patient(ctx)
		var err error
		reply, known, err = a.ch.Announce(soon, p)
		done(err)
		if err != nil {
			return fmt.Errorf("report presence: %w", err)
		}
		if again, err = a.tree.take(reply, known); err != nil {
			return err
		}
	}
	a.python = !known
	a.ours.Store(known)
	if a.tail.Answer(reply) {
		ring(a.fetch)
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
	id := a.s.ID()
	text := fmt.Sprintf("Syndic %s started at %s", id, time.Now().Format(time.ANSIC))
	tags := []string{"salt/syndic/" + id + "/start"}
	if a.s.cfg.Upper.EnableLegacyStartupEvents {
		tags = append([]string{"syndic_start"}, tags...)
	}
	for _, tag := range tags {
		if _, err := a.request(ctx, wire.NewMap("id", id, "cmd", "_minion_event", "pretag", nil, "data", text, "tag", tag)); err != nil {
			return fmt.Errorf("start event: %w", err)
		}
	}
	return nil
}
