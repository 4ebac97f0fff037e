package syndic

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/returns"
)

// parents are all parents, in the order of syndic_failover. It decides which of them gets which
// rows.
type parents struct {
	links       []*parent // as configured
	origins     *origins.Origins
	unrequested *origins.Unrequested
	sharing     *returns.Sharing[*parent]
	closings    *origins.Closings
	shift       func() // reports that row ownership may have changed
	// parentID returns the id of a parent by its name in the configuration.
	parentID func(name string) (id string, known bool)
	log      *slog.Logger
	full     logs.Throttle[string] // parents whose outbox is full, by name

	mu       sync.Mutex
	standIns []*parent // siblings in use while the only parent is gone
}

func (p *parents) close() error {
	var errs []error
	for _, l := range p.all() {
		errs = append(errs, l.ch.Close())
	}
	return errors.Join(errs...)
}

// all returns the configured parents and the siblings in use.
func (p *parents) all() []*parent {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.standIns) == 0 {
		return p.links
	}
	return append(slices.Clip(p.links), p.standIns...)
}

// standIn sets the siblings in use while the only parent is gone.
func (p *parents) standIn(links ...*parent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standIns = links
}

// learn records that l published a job. first means that no parent had published it before; second
// means that another one had, so l needs the returns stored here.
func (p *parents) learn(ctx context.Context, l *parent, jid, masterID string) (first, second bool) {
	if err := p.origins.LearnMaster(ctx, l.ch.Addr(), masterID); err != nil && ctx.Err() == nil {
		l.log.Error("parent's master_id not saved", "master", masterID, "err", err)
	}
	first, second = p.origins.Learn(l.ch.Addr(), jid)
	if second && len(p.links) > 1 {
		p.origins.AddPending(l.ch.Addr(), jid)
	}
	if (first || second) && len(p.all()) > 1 {
		p.shift() // its stored returns may have belonged to another parent
	}
	return first, second
}

// saveRequests stores that the parents in links requested a job that was not published for them.
func (p *parents) saveRequests(ctx context.Context, jid string, links ...*parent) {
	var asks []returners.Note
	for _, l := range links {
		asks = append(asks, p.origins.Asks(l.ch.Addr(), jid)...)
	}
	if err := p.origins.Note(ctx, asks...); err != nil {
		p.log.Error("destinations of a job's returns not saved", "jid", jid, "err", err)
	}
}

// askers returns the parents in links that a return is pending for: those that published its job,
// or the one whose master_id or name it carries. It returns all parents if nobody requested the job
// but a minion brought it from another node, and none if the job is this node's own.
func (p *parents) askers(links []*parent, it returners.Item) []*parent {
	masterID := masterOf(it)
	if len(links) == 1 {
		return nil // the only parent gets everything
	}
	var out []*parent
	for _, addr := range p.origins.Of(it.JID, masterID) {
		for _, l := range links {
			if l.ch.Addr() == addr {
				out = append(out, l)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, l := range links {
		if masterID != "" && (l.name == masterID || l.host == masterID) {
			return []*parent{l}
		}
	}
	if len(p.links) > 1 && p.unrequested.Has(it) {
		return links
	}
	return nil
}

// owns reports whether a row of the outbox goes to l now. A row goes to every parent that requested
// its job, and to one other parent while none of those is reachable.
func (p *parents) owns(l *parent, it returners.Item) bool {
	links := p.all()
	return p.sharing.Owns(links, p.askers(links, it), l)
}

func masterOf(it returners.Item) string {
	if it.Return == nil {
		return ""
	}
	return it.Return.MasterID
}

// others returns the destinations of the parents that requested a row's job and have not received
// the row that l has accepted. If a parent's outbox is full, its returns are read from the job
// store when there is room.
func (p *parents) others(l *parent, it returners.Item) (dests []string) {
	links := p.all()
	for _, o := range p.sharing.Others(links, p.askers(links, it), l) {
		rows, full := o.returns.Full()
		if !full {
			dests = append(dests, o.returns.Dest())
			continue
		}
		kept := o.returns.Defer(it.JID)
		if n := p.full.Note(o.name, time.Now()); n > 0 && kept {
			p.log.Warn("outbox full for parent, its returns are read from the job store later",
				"parent", o.name, "has_them", l.name, "waiting", rows, "times", n)
		} else if n > 0 {
			p.log.Error("returns dropped for an absent parent: outbox and job store limits reached, another parent has them",
				"parent", o.name, "has_them", l.name, "waiting", rows, "times", n)
		}
	}
	return dests
}

// wake wakes the sender of the parent with that outbox destination.
func (p *parents) wake(dest string) {
	for _, l := range p.all() {
		if l.returns.Dest() == dest {
			l.returns.Wake()
		}
	}
}

// acked records that l has accepted all reports of a closed job. all means that every parent that
// requested the job has.
func (p *parents) acked(l *parent, c jobevent.Closed) (all bool) {
	var needed []string
	asked := p.origins.Of(c.JID, "") // if empty, no parent waits
	for _, other := range p.all() {
		if addr := other.ch.Addr(); slices.Contains(asked, addr) {
			needed = append(needed, addr)
		}
	}
	return p.closings.Note(c.JID, c.Word, l.ch.Addr(), needed)
}
