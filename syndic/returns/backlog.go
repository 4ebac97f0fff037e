package returns

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/origins"
)

// backlog adds stored returns to the outbox of one parent: those that were here before it requested
// their job, and those that its full outbox had no room for.
type backlog struct {
	o    Options
	kick chan struct{}
	dest string // destination of this parent alone

	mu    sync.Mutex
	asked []string // jobs to add
	more  bool     // asked is full; Origins has others
}

// Dest returns the outbox destination of this parent alone.
func (d *backlog) Dest() string { return d.dest }

// Wake makes the sender send pending rows.
func (d *backlog) Wake() { link.Signal(d.kick) }

// Backfill adds the returns of a job that were stored before any parent requested it: a node that
// moved here from a sibling brought them, and they may have gone to another parent. It returns
// false if that remains to be done.
func (d *backlog) Backfill(ctx context.Context, jid string) bool {
	err := d.backfillJob(ctx, jid)
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("early returns not yet queued for parent", "jid", jid, "err", err)
		d.o.Origins.AddPending(d.o.Addr, jid)
	}
	return err == nil
}

// BackfillSoon schedules Backfill for a job whose returns another parent already has.
func (d *backlog) BackfillSoon(jid string) {
	d.mu.Lock()
	if d.more = len(d.asked) >= d.o.Bounds.AskedJobs; !d.more {
		d.asked = append(d.asked, jid)
	}
	d.mu.Unlock()
	link.Signal(d.kick)
}

// Defer schedules Backfill for a job until there is room in the parent's outbox, and notes that on
// disk. It returns false if too many jobs are pending.
func (d *backlog) Defer(jid string) bool {
	d.mu.Lock() // held until both are set: backfillJob may be working on the job
	held, fresh := d.o.Origins.AddPending(d.o.Addr, jid)
	if held && !d.scheduled(jid) {
		d.asked = append(d.asked, jid)
	}
	d.mu.Unlock()
	if fresh { // if stored after backfillJob removes it, the returns are sent once more after a restart
		if err := d.o.Origins.Note(context.Background(), origins.PendingNote(d.o.Addr, jid)); err != nil {
			d.o.Log.Error("returns may miss the parent after a restart", "jid", jid, "err", err)
		}
	}
	link.Signal(d.kick)
	return held
}

// scheduled reports whether a job is scheduled behind the one in progress. The caller holds mu.
func (d *backlog) scheduled(jid string) bool {
	return len(d.asked) > 1 && slices.Contains(d.asked[1:], jid)
}

// Full returns the number of rows pending for this parent, and whether its outbox is full.
func (d *backlog) Full() (rows int64, full bool) {
	rows, bytes := d.o.Outbox.OutboxSize(d.dest)
	conf := d.o.Config
	return rows, rows >= int64(conf.OutboxMaxRows) || bytes >= conf.OutboxMaxBytes
}

// backfill adds the returns of all scheduled jobs while there is room.
func (d *backlog) backfill(ctx context.Context) error {
	for {
		if _, full := d.Full(); full { // it is called again when rows are acknowledged
			return nil
		}
		d.mu.Lock()
		if len(d.asked) == 0 && d.more {
			d.asked, d.more = d.o.Origins.Pending(d.o.Addr), false
		}
		if len(d.asked) == 0 {
			d.mu.Unlock()
			return nil
		}
		jid := d.asked[0]
		d.mu.Unlock()
		if err := d.backfillJob(ctx, jid); err != nil {
			return err
		}
		d.mu.Lock()
		d.asked = d.asked[1:]
		d.mu.Unlock()
	}
}

// backfillJob adds the stored returns of one job and removes its note.
func (d *backlog) backfillJob(ctx context.Context, jid string) error {
	n, err := d.o.Outbox.OutboxBackfill(ctx, d.dest, jid)
	if err != nil {
		return fmt.Errorf("add returns of job %s to the outbox of another parent: %w", jid, err)
	}
	var over []returners.Note
	d.mu.Lock()
	if !d.scheduled(jid) {
		over = d.o.Origins.Done(d.o.Addr, jid)
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
