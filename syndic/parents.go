package syndic

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/logthrottle"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/returns"
)

// parents are the masters above, in the order of syndic_failover, and which of them is
// given what.
type parents struct {
	links    []*parent // as configured
	origins  *origins.Origins
	foreign  *origins.Strangers
	sharing  *returns.Sharing[*parent]
	closings *origins.Closings
	shift    func() // rows may have got another owner
	log      *slog.Logger
	full     logthrottle.Filter[string] // parents for whom too much waits, by name

	mu       sync.Mutex
	standIns []*parent // siblings of the one parent, while that is gone
}

func (p *parents) close() error {
	var errs []error
	for _, l := range p.all() {
		errs = append(errs, l.ch.Close())
	}
	return errors.Join(errs...)
}

// all are the masters above that there are now.
func (p *parents) all() []*parent {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.standIns) == 0 {
		return p.links
	}
	return append(slices.Clip(p.links), p.standIns...)
}

// standIn sets the links that stand in for the one parent.
func (p *parents) standIn(links ...*parent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standIns = links
}

// learn remembers who published a job. first: nobody had before; second: another one had,
// and l is owed what is here of it.
func (p *parents) learn(ctx context.Context, l *parent, jid, masterID string) (first, second bool) {
	if err := p.origins.LearnMaster(ctx, l.ch.Addr(), masterID); err != nil && ctx.Err() == nil {
		l.log.Error("parent's master_id not saved", "master", masterID, "err", err)
	}
	first, second = p.origins.Learn(l.ch.Addr(), jid)
	if second && len(p.links) > 1 {
		p.origins.Owe(l.ch.Addr(), jid)
	}
	if (first || second) && len(p.all()) > 1 {
		p.shift() // its returns may be here, and were another one's
	}
	return first, second
}

// keep stores that masters above asked for a job that was not published for them.
func (p *parents) keep(ctx context.Context, jid string, links ...*parent) {
	var asks []returners.Note
	for _, l := range links {
		asks = append(asks, p.origins.Asks(l.ch.Addr(), jid)...)
	}
	if err := p.origins.Note(ctx, asks...); err != nil {
		p.log.Error("destinations of a job's returns not saved", "jid", jid, "err", err)
	}
}

// askers are those of the links that a return is owed to: who published its job,
// or whose master_id or name it carries. Nobody knows: all, if a minion brought it
// from elsewhere, for one of them waits for it; none, if its job is of this node.
func (p *parents) askers(links []*parent, it returners.Item) []*parent {
	masterID := masterOf(it)
	if len(links) == 1 {
		return nil // it gets all
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
	if len(p.links) > 1 && p.foreign.Has(it) {
		return links
	}
	return nil
}

// owns tells whether a row of the outbox goes over l now. It goes to everybody
// who asked for its job, and to one other while none of those can be reached.
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

// others are the destinations of those who asked for a row that l has taken, and
// have not had it. One that is owed as much as may wait is given it from the job store
// when there is room.
func (p *parents) others(l *parent, it returners.Item) (dests []string) {
	links := p.all()
	for _, o := range p.sharing.Others(links, p.askers(links, it), l) {
		rows, full := o.returns.Full()
		if !full {
			dests = append(dests, o.returns.Dest())
			continue
		}
		kept := o.returns.Later(it.JID)
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

// owes wakes the sender of the parent that the outbox holds rows for by now.
func (p *parents) owes(dest string) {
	for _, l := range p.all() {
		if l.returns.Dest() == dest {
			l.returns.Wake()
		}
	}
}

// took hears that l has taken all words of a closed job, and tells whether all have that
// have to.
func (p *parents) took(l *parent, c jobevent.Closed) (all bool) {
	var needed []string
	asked := p.origins.Of(c.JID, "") // nobody: then nobody waits for it either
	for _, other := range p.all() {
		if addr := other.ch.Addr(); slices.Contains(asked, addr) {
			needed = append(needed, addr)
		}
	}
	return p.closings.Note(c.JID, c.Word, l.ch.Addr(), needed)
}
