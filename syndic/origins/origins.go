package origins

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/local"
)

const (
	// rememberedMasters bounds the remembered values of master_id.
	rememberedMasters = 256
	// notesTimeout bounds a read or write of notes.
	notesTimeout = 30 * time.Second
)

// Origins records which parents published a job, and which of them uses which master_id. A return
// belongs to the parent that requested its job, and the return itself does not reliably name that
// parent. It is safe for concurrent use.
//
// The records are notes in the job store, so they survive restarts. A job's requester is stored in
// the commit of the job.
type Origins struct {
	local Local
	most  int // bound of remembered jobs

	mu      sync.Mutex
	jobs    *lru.Map[string, []string] // jid → addresses
	masters *lru.Map[string, string]   // master_id → address
	// pending holds the parents that still need the stored returns of a job: those stored before
	// the parent requested it, or when its outbox was full.
	pending map[pendingJob]struct{}
}

type pendingJob struct{ addr, jid string }

// PendingNote returns the note that addr still needs the stored returns of a job.
func PendingNote(addr, jid string) returners.Note {
	return returners.Note{Kind: returners.NotePending, JID: jid, Key: addr}
}

// Local is the part of the local master that stores notes.
type Local interface {
	Jobs() local.Jobs
	// Note stores notes without a job.
	Note(ctx context.Context, notes ...returners.Note) error
}

// Options configure [Open]. All are required.
type Options struct {
	Local Local
	// Most bounds the remembered jobs (bound asked_jobs); the oldest are forgotten.
	Most int
}

// Open reads the notes of earlier runs.
func Open(ctx context.Context, opts Options) (*Origins, error) {
	ctx, cancel := context.WithTimeout(ctx, notesTimeout)
	defer cancel()
	o := &Origins{
		local: opts.Local, most: opts.Most,
		jobs: lru.New[string, []string](opts.Most), masters: lru.New[string, string](rememberedMasters), pending: map[pendingJob]struct{}{},
	}
	for kind, enter := range map[string]func(returners.Note){
		returners.NoteOrigin:   func(n returners.Note) { o.Learn(n.Key, n.JID) },
		returners.NotePending:  func(n returners.Note) { o.AddPending(n.Key, n.JID) },
		returners.NoteMasterID: func(n returners.Note) { o.masters.Add(n.Key, string(n.Value)) },
	} {
		if err := returners.EachNote(ctx, opts.Local.Jobs(), kind, enter); err != nil {
			return nil, fmt.Errorf("read origins of jobs: %w", err)
		}
	}
	return o, nil
}

// Learn records that addr published a job. first means that no parent had before, second that
// another one had.
func (o *Origins) Learn(addr, jid string) (first, second bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	have, known := o.jobs.Peek(jid)
	if slices.Contains(have, addr) {
		return false, false
	}
	o.jobs.Add(jid, append(slices.Clip(have), addr))
	return !known, known
}

// Asks returns the notes to store with a job that addr requests.
func (o *Origins) Asks(addr, jid string) []returners.Note {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := []returners.Note{{Kind: returners.NoteOrigin, JID: jid, Key: addr}}
	if d := (pendingJob{addr, jid}); o.isPending(d) {
		out = append(out, PendingNote(addr, jid))
	}
	return out
}

// LearnMaster records that addr uses a master_id.
func (o *Origins) LearnMaster(ctx context.Context, addr, masterID string) error {
	if was, _ := o.masters.Peek(masterID); masterID == "" || was == addr {
		return nil
	}
	notes := []returners.Note{{Kind: returners.NoteMasterID, Key: masterID, Value: []byte(addr)}}
	if !o.masters.Contains(masterID) && o.masters.Len() == rememberedMasters {
		oldest, _, _ := o.masters.GetOldest()
		notes = append(notes, returners.Note{Kind: returners.NoteMasterID, Key: oldest, Gone: true})
	}
	o.masters.Add(masterID, addr)
	return o.Note(ctx, notes...)
}

// Note stores notes without a job.
func (o *Origins) Note(ctx context.Context, notes ...returners.Note) error {
	if len(notes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, notesTimeout)
	defer cancel()
	return o.local.Note(ctx, notes...)
}

// AddPending records that addr needs the stored returns of a job. held is false if too many jobs
// are pending; fresh means that the job was not pending before.
func (o *Origins) AddPending(addr, jid string) (held, fresh bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := pendingJob{addr, jid}
	if o.isPending(d) {
		return true, false
	}
	if len(o.pending) >= o.most {
		return false, false
	}
	o.pending[d] = struct{}{}
	return true, true
}

func (o *Origins) isPending(d pendingJob) bool {
	_, ok := o.pending[d]
	return ok
}

// Done removes pending jobs of addr, and returns the notes to remove from the store.
func (o *Origins) Done(addr string, jids ...string) (notes []returners.Note) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, jid := range jids {
		if d := (pendingJob{addr, jid}); o.isPending(d) {
			delete(o.pending, d)
			n := PendingNote(addr, jid)
			n.Gone = true
			notes = append(notes, n)
		}
	}
	return notes
}

// Pending returns the jobs whose stored returns addr still needs, in order.
func (o *Origins) Pending(addr string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for d := range o.pending {
		if d.addr == addr {
			out = append(out, d.jid)
		}
	}
	slices.Sort(out)
	return out
}

// Of returns the addresses of the parents that requested a job: those known by jid, otherwise the
// one that uses the master_id of its returns.
func (o *Origins) Of(jid, masterID string) []string {
	if addrs, ok := o.jobs.Peek(jid); ok {
		return addrs
	}
	if masterID != "" {
		if addr, ok := o.masters.Peek(masterID); ok {
			return []string{addr}
		}
	}
	return nil
}

// Concerns reports whether addr gets the expectation and missing minions of a job: it requested the
// job, or no parent did. A parent that did not request the job gets no returns either and would
// wait for them; to have the job answered it publishes the job to this node.
func (o *Origins) Concerns(addr, jid string) bool {
	asked := o.Of(jid, "")
	return len(asked) == 0 || slices.Contains(asked, addr)
}
