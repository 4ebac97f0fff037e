package syndic

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
)

// deafReports is after how many reports in a row that find no subscription at
// the parent a new one is made.
const deafReports = 3

// announcer tells one parent who subscribes and what the tree below looks like.
type announcer struct {
	*link
	conn   uint64 // of the subscription that was announced; 0: none yet
	told   uint64 // revision of the tree that the parent has
	python bool   // the parent does not know presence
	deaf   int    // reports that found no subscription
}

// announce reports after each connect, soon after each change of the tree, and
// now and then.
func (l *link) announce(ctx context.Context, renew context.CancelCauseFunc) {
	a := &announcer{link: l}
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
			a.conn, a.told, a.deaf = n, 0, 0
			retry.reset()
			again = nil
			if a.greet(ctx) != nil {
				again = time.After(retry.wait())
			}
			continue
		case <-again:
			again = nil
			if a.greet(ctx) != nil {
				again = time.After(retry.wait())
			}
			continue
		case <-changed:
		case <-every.C:
		}
		if !l.isUp() || a.python {
			continue
		}
		if err := a.report(ctx, false); err != nil {
			if ctx.Err() == nil {
				l.log.Warn("The master above did not take the report of presence", "err", err)
			}
			continue
		}
		if a.deaf >= deafReports {
			l.log.Warn("The master above does not see this node's subscription; it is made anew")
			renew(errMoved)
			return
		}
		// Changes that follow each other closely become one report.
		if !sleep(ctx, l.s.pace.reportMin) {
			return
		}
	}
}

// greet makes a new subscription known, and the link usable.
func (a *announcer) greet(ctx context.Context) error {
	err := a.report(ctx, true)
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
	for _, e := range a.s.local.OpenExpectations() {
		a.events.push(e)
	}
	a.setUp(a.conn)
	return nil
}

// report tells presence, with the tree if the parent does not have it yet.
func (a *announcer) report(ctx context.Context, fresh bool) error {
	tree := a.s.local.Tree()
	p := channel.Presence{Version: a.s.version}
	revision := tree.Revision() + 1 // 0: never told
	if revision != a.told {
		p.Tree = tree.Snapshot().Map()
	}
	ctx, done := a.patient(ctx)
	reply, known, err := a.ch.Announce(ctx, p)
	done(err)
	if err != nil {
		return fmt.Errorf("report presence: %w", err)
	}
	a.told, a.python = revision, !known
	if seen, told := reply.Get("session"); told && seen == false && !fresh {
		a.deaf++
	} else {
		a.deaf = 0
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
