package origins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/local"
)

const (
	// rememberedMasters is how many values of master_id are remembered.
	rememberedMasters = 256
	// notesPatience bounds a read or write of notes about jobs.
	notesPatience = 30 * time.Second
)

// Origins remembers which masters above published a job, and which of them uses
// which master_id: a return belongs to the master that asked, and nothing in the return
// says for certain who that is.
//
// Over restarts of the node it is kept in notes about the job: who asked for one is stored
// in the commit of the job itself.
type Origins struct {
	local Local
	most  int // jobs that are remembered

	mu      sync.Mutex
	jobs    *lru.Map[string, []string] // jid → addresses
	masters *lru.Map[string, string]   // master_id → address
	// owed holds who has still to be given the returns of a job that were here when it
	// asked, or when there was no room for them among what it is owed.
	owed map[owedJob]struct{}
}

type owedJob struct{ addr, jid string }

// Owed is the note that addr is still to be given the returns of a job that were here.
func Owed(addr, jid string) returners.Note {
	return returners.Note{Kind: returners.NoteOwed, JID: jid, Key: addr}
}

// Local is the local master, as far as it keeps what is known of jobs.
type Local interface {
	Jobs() local.Jobs
	// Note stores notes by themselves.
	Note(ctx context.Context, notes ...returners.Note) error
}

// Options of [Open]. None may be left out.
type Options struct {
	Local Local
	// Cachedir may hold the file of an earlier version.
	Cachedir string
	// Most is how many jobs are remembered (bound asked_jobs); the oldest are forgotten.
	Most int
}

// Open reads what a former life of the node has noted.
func Open(ctx context.Context, opts Options) (*Origins, error) {
	ctx, cancel := context.WithTimeout(ctx, notesPatience)
	defer cancel()
	o := &Origins{
		local: opts.Local, most: opts.Most,
		jobs: lru.New[string, []string](opts.Most), masters: lru.New[string, string](rememberedMasters), owed: map[owedJob]struct{}{},
	}
	if err := takeOver(ctx, opts.Local, filepath.Join(opts.Cachedir, formerFile)); err != nil {
		return nil, err
	}
	for kind, enter := range map[string]func(returners.Note){
		returners.NoteOrigin:   func(n returners.Note) { o.Learn(n.Key, n.JID) },
		returners.NoteOwed:     func(n returners.Note) { o.Owe(n.Key, n.JID) },
		returners.NoteMasterID: func(n returners.Note) { o.masters.Add(n.Key, string(n.Value)) },
	} {
		if err := returners.EachNote(ctx, opts.Local.Jobs(), kind, enter); err != nil {
			return nil, fmt.Errorf("read where jobs came from: %w", err)
		}
	}
	return o, nil
}

// Learn remembers who published a job. first tells that nobody had before, second that
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

// Asks is what is stored with a job: that addr asks for it, and whether it is owed what
// is here of it.
func (o *Origins) Asks(addr, jid string) []returners.Note {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := []returners.Note{{Kind: returners.NoteOrigin, JID: jid, Key: addr}}
	if d := (owedJob{addr, jid}); o.owes(d) {
		out = append(out, Owed(addr, jid))
	}
	return out
}

// LearnMaster remembers who uses a master_id.
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
	ctx, cancel := context.WithTimeout(ctx, notesPatience)
	defer cancel()
	return o.local.Note(ctx, notes...)
}

// Owe remembers that addr is owed what is here of a job. It is given that; fresh: it was
// not to be as yet. false: as much is owed already as is remembered.
func (o *Origins) Owe(addr, jid string) (held, fresh bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := owedJob{addr, jid}
	if o.owes(d) {
		return true, false
	}
	if len(o.owed) >= o.most {
		return false, false
	}
	o.owed[d] = struct{}{}
	return true, true
}

func (o *Origins) owes(d owedJob) bool {
	_, ok := o.owed[d]
	return ok
}

// Given ends that addr is owed what was here of jobs. It gives the notes that are to be
// removed.
func (o *Origins) Given(addr string, jids ...string) (notes []returners.Note) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, jid := range jids {
		if d := (owedJob{addr, jid}); o.owes(d) {
			delete(o.owed, d)
			n := Owed(addr, jid)
			n.Gone = true
			notes = append(notes, n)
		}
	}
	return notes
}

// Owing lists the jobs whose earlier returns are owed to addr.
func (o *Origins) Owing(addr string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for d := range o.owed {
		if d.addr == addr {
			out = append(out, d.jid)
		}
	}
	slices.Sort(out)
	return out
}

// Of gives the addresses of those who asked for a job: by the jid, else by the
// master_id of its returns.
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

// Concerns tells whether addr should hear who has to answer a job: it asked for it, or
// nobody above did. One that did not ask is owed no returns either, and would wait for
// them; if it wants the job answered it gives it to this node anew.
func (o *Origins) Concerns(addr, jid string) bool {
	asked := o.Of(jid, "")
	return len(asked) == 0 || slices.Contains(asked, addr)
}
