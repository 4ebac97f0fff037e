package returners

import (
	"context"
	"fmt"
	"slices"
)

// Kinds of notes. Those of the first three hold their job: [Returner.Clean] spares it
// while it has one. Others go with their job.
const (
	// NoteOpen: the account of the job is not closed.
	NoteOpen = "open"
	// NoteUnreported: the job is closed, and the masters above that asked for it may not
	// have heard so.
	NoteUnreported = "untold"
	// NotePublication is what was published, kept for those that may have missed it. A job
	// that has grown has several; a second note of each tells that it was handed to the
	// subscribers (see [Part]).
	NotePublication = "publication"
	// NoteOrigin: a master above asked for the job. Key is its address.
	NoteOrigin = "origin"
	// NotePending: the master above with that address is still to be given what is here of
	// the job.
	NotePending = "owed"
	// NoteMasterID is of no job: Key is a master_id, Value the address of the master
	// above that uses it.
	NoteMasterID = "master_id"
)

// KeyPublished is the key of a note that a publication was handed to the subscribers.
const KeyPublished = "published"

// HoldingNotes are the kinds of notes that hold their job.
var HoldingNotes = []string{NoteOpen, NoteUnreported, NotePublication}

var noteKinds = []string{NoteOpen, NoteUnreported, NotePublication, NoteOrigin, NotePending, NoteMasterID}

// Note is a small fact about a job that a restart has to know: one for each kind, job
// and key. A later one takes the place of the one before.
type Note struct {
	Kind  string
	JID   string // "" of NoteMasterID alone
	Key   string // what tells apart notes of one kind about one job, "" if there is one at most
	Value []byte
	Gone  bool // it is removed, if there is one
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

// Noted is a batch of notes alone. One that only removes some needs no sync: at worst a
// restart finds them once more.
func Noted(notes ...Note) Batch {
	return Batch{Notes: notes, Unsynced: !slices.ContainsFunc(notes, func(n Note) bool { return !n.Gone })}
}

// NoteReader reads notes.
type NoteReader interface {
	// Notes reads notes of one kind in the order of jid and key, those behind after
	// (the zero Note: all), at most limit.
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
