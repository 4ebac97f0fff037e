package syndic

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/returners"
)

const (
	// rememberedMasters is how many values of master_id are remembered.
	rememberedMasters = 256
	// notesPatience bounds a read or write of notes about jobs.
	notesPatience = 30 * time.Second
)

// origins remembers which masters above published a job, and which of them uses
// which master_id: a return belongs to the master that asked, and nothing in the return
// says for certain who that is.
//
// Over restarts of the node it is kept in notes about the job: who asked for one is stored
// in the commit of the job itself.
type origins struct {
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

func (d owedJob) note() returners.Note {
	return returners.Note{Kind: returners.NoteOwed, JID: d.jid, Key: d.addr}
}

// openOrigins reads what a former life of the node has noted. most is how many jobs are
// remembered (bound asked_jobs); the oldest are forgotten.
func openOrigins(ctx context.Context, local Local, cachedir string, most int) (*origins, error) {
	o := &origins{
		local: local, most: most,
		jobs: lru.New[string, []string](most), masters: lru.New[string, string](rememberedMasters), owed: map[owedJob]struct{}{},
	}
	if err := takeOverOrigins(ctx, local, filepath.Join(cachedir, originsFile)); err != nil {
		return nil, err
	}
	for kind, enter := range map[string]func(returners.Note){
		returners.NoteOrigin:   func(n returners.Note) { o.learn(n.Key, n.JID) },
		returners.NoteOwed:     func(n returners.Note) { o.owe(n.Key, n.JID) },
		returners.NoteMasterID: func(n returners.Note) { o.masters.Add(n.Key, string(n.Value)) },
	} {
		if err := returners.EachNote(ctx, local.Jobs(), kind, enter); err != nil {
			return nil, fmt.Errorf("read where jobs came from: %w", err)
		}
	}
	return o, nil
}

// learn remembers who published a job. first tells that nobody had before, second that
// another one had.
func (o *origins) learn(addr, jid string) (first, second bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	have, known := o.jobs.Peek(jid)
	if slices.Contains(have, addr) {
		return false, false
	}
	o.jobs.Add(jid, append(slices.Clip(have), addr))
	return !known, known
}

// asks is what is stored with a job: that addr asks for it, and whether it is owed what
// is here of it.
func (o *origins) asks(addr, jid string) []returners.Note {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := []returners.Note{{Kind: returners.NoteOrigin, JID: jid, Key: addr}}
	if d := (owedJob{addr, jid}); o.owes(d) {
		out = append(out, d.note())
	}
	return out
}

// learnMaster remembers who uses a master_id.
func (o *origins) learnMaster(ctx context.Context, addr, masterID string) error {
	if was, _ := o.masters.Peek(masterID); masterID == "" || was == addr {
		return nil
	}
	notes := []returners.Note{{Kind: returners.NoteMasterID, Key: masterID, Value: []byte(addr)}}
	if !o.masters.Contains(masterID) && o.masters.Len() == rememberedMasters {
		oldest, _, _ := o.masters.GetOldest()
		notes = append(notes, returners.Note{Kind: returners.NoteMasterID, Key: oldest, Gone: true})
	}
	o.masters.Add(masterID, addr)
	return o.note(ctx, notes...)
}

// note stores notes without a job.
func (o *origins) note(ctx context.Context, notes ...returners.Note) error {
	if len(notes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, notesPatience)
	defer cancel()
	return o.local.Note(ctx, notes...)
}

// owe remembers that addr is owed what is here of a job. It is given that; fresh: it was
// not to be as yet. false: as much is owed already as is remembered.
func (o *origins) owe(addr, jid string) (held, fresh bool) {
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

func (o *origins) owes(d owedJob) bool {
	_, ok := o.owed[d]
	return ok
}

// given ends that addr is owed what was here of jobs. It gives the notes that are to be
// removed.
func (o *origins) given(addr string, jids ...string) (notes []returners.Note) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, jid := range jids {
		if d := (owedJob{addr, jid}); o.owes(d) {
			delete(o.owed, d)
			n := d.note()
			n.Gone = true
			notes = append(notes, n)
		}
	}
	return notes
}

// owing lists the jobs whose earlier returns are owed to addr.
func (o *origins) owing(addr string) []string {
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

// of gives the addresses of those who asked for a job: by the jid, else by the
// master_id of its returns.
func (o *origins) of(jid, masterID string) []string {
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
