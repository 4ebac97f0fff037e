package returns

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/pace"
)

// debts are what one parent is owed by name.
type debts struct {
	o    Options
	kick chan struct{}
	dest string // what this master alone is owed

	mu    sync.Mutex
	asked []string // jids whose stored returns it is owed
	more  bool     // and there are others
}

// Dest is the destination of the outbox that holds what this parent alone is owed.
func (d *debts) Dest() string { return d.dest }

// Wake has what is owed sent.
func (d *debts) Wake() { pace.Ring(d.kick) }

// Early has this parent given the returns that were here before anybody asked for
// their job: a node that came over from a sibling brought them, and they went to
// whoever takes what nobody is owed. false: that is still to be done.
func (d *debts) Early(ctx context.Context, jid string) bool {
	err := d.oweNow(ctx, jid)
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("early returns not yet queued for parent", "jid", jid, "err", err)
		d.o.Origins.Owe(d.o.Addr, jid)
	}
	return err == nil
}

// Again has this parent owed the returns of a job that another one has had.
func (d *debts) Again(jid string) {
	d.mu.Lock()
	if d.more = len(d.asked) >= d.o.Bounds.AskedJobs; !d.more {
		d.asked = append(d.asked, jid)
	}
	d.mu.Unlock()
	pace.Ring(d.kick)
}

// Later has this parent owed the returns of a job when there is room for them among what
// it is owed: they are in the job store, so that no more than the jid is kept. false: too
// many jobs are kept so.
func (d *debts) Later(jid string) bool {
	d.mu.Lock() // until both are known: oweNow may be at work on the job
	held, fresh := d.o.Origins.Owe(d.o.Addr, jid)
	if held && !d.comes(jid) {
		d.asked = append(d.asked, jid)
	}
	d.mu.Unlock()
	if fresh { // stored after what oweNow removes, it has the returns given once more after a restart
		if err := d.o.Origins.Note(context.Background(), origins.Owed(d.o.Addr, jid)); err != nil {
			d.o.Log.Error("returns may miss the parent after a restart", "jid", jid, "err", err)
		}
	}
	pace.Ring(d.kick)
	return held
}

// comes tells whether a job will be owed that is not being owed just now. The caller
// holds mu.
func (d *debts) comes(jid string) bool {
	return len(d.asked) > 1 && slices.Contains(d.asked[1:], jid)
}

// Full tells how many rows this parent is owed by name, and whether it is owed no more.
func (d *debts) Full() (rows int64, full bool) {
	rows, bytes := d.o.Outbox.OutboxSize(d.dest)
	conf := d.o.Config
	return rows, rows >= int64(conf.OutboxMaxRows) || bytes >= conf.OutboxMaxBytes
}

// owe has the outbox owe this parent what is stored of the jobs that it asked for
// after others, as far as there is room.
func (d *debts) owe(ctx context.Context) error {
	for {
		if _, full := d.Full(); full { // it is looked again when rows have landed
			return nil
		}
		d.mu.Lock()
		if len(d.asked) == 0 && d.more {
			d.asked, d.more = d.o.Origins.Owing(d.o.Addr), false
		}
		if len(d.asked) == 0 {
			d.mu.Unlock()
			return nil
		}
		jid := d.asked[0]
		d.mu.Unlock()
		if err := d.oweNow(ctx, jid); err != nil {
			return err
		}
		d.mu.Lock()
		d.asked = d.asked[1:]
		d.mu.Unlock()
	}
}

// oweNow owes this parent what is stored of one job, and notes that nothing of the
// kind is to be done for it any more.
func (d *debts) oweNow(ctx context.Context, jid string) error {
	n, err := d.o.Outbox.OutboxOwe(ctx, d.dest, jid)
	if err != nil {
		return fmt.Errorf("owe the returns of job %s to a further master above: %w", jid, err)
	}
	var over []returners.Note
	d.mu.Lock()
	if !d.comes(jid) {
		over = d.o.Origins.Given(d.o.Addr, jid)
	}
	d.mu.Unlock()
	if err := d.o.Origins.Note(ctx, over...); err != nil {
		d.o.Log.Warn("returns will be sent to the parent again after a restart", "jid", jid, "err", err)
	}
	if n > 0 {
		d.Wake()
	}
	return nil
}
