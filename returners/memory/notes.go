package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/returners"
)

// noteKey identifies a note about a job.
type noteKey struct{ kind, key string }

// putNotes stores notes in their order.
func (s *Store) putNotes(notes []returners.Note) {
	for _, n := range notes {
		of, k := s.notes[n.JID], noteKey{n.Kind, n.Key}
		switch {
		case !n.Gone:
			if of == nil {
				of = map[noteKey][]byte{}
				s.notes[n.JID] = of
			}
			of[k] = slices.Clone(n.Value)
		case of != nil:
			if delete(of, k); len(of) == 0 {
				delete(s.notes, n.JID)
			}
		}
	}
}

// held reports whether a note holds a job.
func (s *Store) held(jid string) bool {
	for k := range s.notes[jid] {
		if slices.Contains(returners.HoldingNotes, k.kind) {
			return true
		}
	}
	return false
}

// Notes reads notes of one kind in the order of jid and key.
func (s *Store) Notes(_ context.Context, kind string, after returners.Note, limit int) ([]returners.Note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []returners.Note
	for jid := range s.notes {
		for _, n := range s.notesOf(kind, jid) {
			if compareNotes(n, after) > 0 {
				out = append(out, n)
			}
		}
	}
	slices.SortFunc(out, compareNotes)
	return out[:min(len(out), limit)], s.open()
}

// NotesOf reads the notes of one kind about a job.
func (s *Store) NotesOf(_ context.Context, kind, jid string) ([]returners.Note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.notesOf(kind, jid)
	slices.SortFunc(out, compareNotes)
	return out, s.open()
}

func (s *Store) notesOf(kind, jid string) (out []returners.Note) {
	for k, v := range s.notes[jid] {
		if k.kind == kind {
			out = append(out, returners.Note{Kind: kind, JID: jid, Key: k.key, Value: v})
		}
	}
	return out
}

func compareNotes(a, b returners.Note) int {
	return cmp.Or(strings.Compare(a.JID, b.JID), strings.Compare(a.Key, b.Key))
}
