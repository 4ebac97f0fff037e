package returners

import (
	"context"
	"fmt"
	"slices"
)

// Kinds of notes. The first three hold their job: [Returner.Clean] keeps it. Others are removed
// with their job.
const (
	// NoteOpen: the job is open.
	NoteOpen = "open"
	// NoteUnreported: the job is closed, and not every requesting parent has accepted its reports.
	NoteUnreported = "untold"
	// NotePublication is a publication kept for minions and nodes that missed it. An extended job
	// has several; a second note of each marks it as published (see [Part]).
	NotePublication = "publication"
	// NoteOrigin: a parent requested the job. Key is its address.
	NoteOrigin = "origin"
	// NotePending: the parent with that address still needs the stored returns of the job.
	NotePending = "owed"
	// NoteMasterID belongs to no job: Key is a master_id, Value the address of the parent
	// that uses it.
	NoteMasterID = "master_id"
)

// KeyPublished is the key of the note that marks a publication as sent to the subscribers.
const KeyPublished = "published"

// HoldingNotes are the kinds of notes that hold their job.
var HoldingNotes = []string{NoteOpen, NoteUnreported, NotePublication}

var noteKinds = []string{NoteOpen, NoteUnreported, NotePublication, NoteOrigin, NotePending, NoteMasterID}

// Note is a fact about a job that must survive restarts, one for each kind, job and key. A later
// note replaces an earlier one.
type Note struct {
	Kind  string
	JID   string // "" for NoteMasterID only
	Key   string // distinguishes notes of one kind and job; may be ""
	Value []byte
	Gone  bool // remove the note
}

func (n *Note) validate() error {
	switch {
	case !slices.Contains(noteKinds, n.Kind):
		return fmt.Errorf("has the unknown kind %q: %w", n.Kind, ErrInvalid)
	case (n.JID == "") != (n.Kind == NoteMasterID):
		return fmt.Errorf("of kind %s has the jid %q: %w", n.Kind, n.JID, ErrInvalid)
	}
	return nil
}

// Noted returns a batch of notes. A batch that only removes notes is not synced: in the
// worst case they reappear after a restart.
func Noted(notes ...Note) Batch {
	return Batch{Notes: notes, Unsynced: !slices.ContainsFunc(notes, func(n Note) bool { return !n.Gone })}
}

// NoteReader reads notes.
type NoteReader interface {
	// Notes reads at most limit notes of one kind after the given one, in the order of jid
	// and key. The zero Note reads from the first.
	Notes(ctx context.Context, kind string, after Note, limit int) ([]Note, error)
	// NotesOf reads the notes of one kind about a job, in the order of their keys.
	NotesOf(ctx context.Context, kind, jid string) ([]Note, error)
}

// notePage is how many notes EachNote reads at a time.
const notePage = 500

// EachNote visits all notes of a kind in the order of jid and key.
func EachNote(ctx context.Context, r NoteReader, kind string, visit func(Note)) error {
	for after, more := (Note{}), true; more; {
		page, err := r.Notes(ctx, kind, after, notePage)
		if err != nil {
			return fmt.Errorf("read the notes of kind %s: %w", kind, err)
		}
		for _, n := range page {
			visit(n)
			after = n
		}
		more = len(page) == notePage
	}
	return nil
}
