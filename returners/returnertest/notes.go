package returnertest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/returners"
)

func commit(t *testing.T, s returners.JobStore, b returners.Batch) {
	t.Helper()
	if _, err := s.Commit(context.Background(), b); err != nil {
		t.Fatal(err)
	}
}

func noted(t *testing.T, s returners.JobStore, kind string) (all []returners.Note) {
	t.Helper()
	must(t, returners.EachNote(context.Background(), s, kind, func(n returners.Note) { all = append(all, n) }))
	return all
}

func sameNotes(t *testing.T, what string, got, want []returners.Note) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Notes are written, replaced and removed in order, with or without a sync, and read in the
// order of job and key.
func testNotes(t *testing.T, s returners.JobStore) {
	ctx := context.Background()
	origin := func(job int, key, value string) returners.Note {
		return returners.Note{Kind: returners.NoteOrigin, JID: JID(job), Key: key, Value: []byte(value)}
	}
	gone := func(n returners.Note) returners.Note {
		return returners.Note{Kind: n.Kind, JID: n.JID, Key: n.Key, Gone: true}
	}
	open := returners.Note{Kind: returners.NoteOpen, JID: JID(2)}
	master := returners.Note{Kind: returners.NoteMasterID, Key: "top", Value: []byte("10.0.0.1:4506")}
	commit(t, s, returners.Batch{Notes: []returners.Note{origin(2, "b", "1"), origin(1, "c", ""), open, origin(2, "a", "\x00\xff"), master}})
	commit(t, s, returners.Batch{Unsynced: true, Notes: []returners.Note{origin(2, "b", "2"), gone(origin(9, "x", "")), origin(3, "d", "x"), gone(origin(3, "d", ""))}})
	sameNotes(t, "origins", noted(t, s, returners.NoteOrigin), []returners.Note{origin(1, "c", ""), origin(2, "a", "\x00\xff"), origin(2, "b", "2")})
	sameNotes(t, "open", noted(t, s, returners.NoteOpen), []returners.Note{open})
	sameNotes(t, "master ids", noted(t, s, returners.NoteMasterID), []returners.Note{master})
	of, err := s.NotesOf(ctx, returners.NoteOrigin, JID(2))
	must(t, err)
	sameNotes(t, "origins of one job", of, []returners.Note{origin(2, "a", "\x00\xff"), origin(2, "b", "2")})
	page, err := s.Notes(ctx, returners.NoteOrigin, origin(1, "c", ""), 1)
	must(t, err)
	sameNotes(t, "a page", page, []returners.Note{origin(2, "a", "\x00\xff")})
	page, err = s.Notes(ctx, returners.NoteOrigin, origin(2, "a", ""), 5)
	must(t, err)
	sameNotes(t, "the rest", page, []returners.Note{origin(2, "b", "2")})
	commit(t, s, returners.Batch{Notes: []returners.Note{gone(open), gone(open), gone(origin(2, "a", ""))}})
	sameNotes(t, "open", noted(t, s, returners.NoteOpen), nil)
	sameNotes(t, "origins", noted(t, s, returners.NoteOrigin), []returners.Note{origin(1, "c", ""), origin(2, "b", "2")})
	for _, bad := range []returners.Note{{Kind: "other", JID: JID(1)}, {Kind: returners.NoteOpen}, {Kind: returners.NoteMasterID, JID: JID(1), Key: "top"}} {
		load := Load(t, 7, "test.ping", "*")
		if _, err := s.Commit(ctx, returners.Batch{Loads: []returners.Load{load}, Notes: []returners.Note{bad}}); err == nil {
			t.Errorf("%+v was stored", bad)
		}
	}
	if _, ok, err := s.GetLoad(ctx, JID(7)); ok || err != nil {
		t.Errorf("the load beside a bad note: %v, %v", ok, err)
	}
}

// More notes than one page.
func testManyNotes(t *testing.T, s returners.JobStore) {
	var want []returners.Note
	for n := range 1203 {
		want = append(want, returners.Note{Kind: returners.NoteUnreported, JID: JID(n)})
	}
	commit(t, s, returners.Batch{Notes: want})
	sameNotes(t, "unreported", noted(t, s, returners.NoteUnreported), want)
}

// Clean keeps a job that is open or unreported or whose publication is kept, and its notes.
// Other notes are removed with their job.
func testCleanNotes(t *testing.T, s returners.JobStore) {
	ctx := context.Background()
	held := append([]string{""}, returners.HoldingNotes...)
	for job, kind := range held {
		b := returners.Batch{Loads: []returners.Load{Load(t, job, "state.apply", "*")}, Returns: []returners.Return{Return(t, job, "m", "state.apply", true)}}
		b.Notes = append(b.Notes, returners.Note{Kind: returners.NoteOrigin, JID: JID(job), Key: "a"}, returners.Note{Kind: returners.NotePending, JID: JID(job), Key: "b"})
		if kind != "" {
			b.Notes = append(b.Notes, returners.Note{Kind: kind, JID: JID(job), Key: "k"})
		}
		commit(t, s, b)
	}
	stored := func(job int) bool {
		_, ok, err := s.GetLoad(ctx, JID(job))
		must(t, err)
		rets := get[[]returners.Return](t)(s.GetReturns(ctx, JID(job)))
		of := get[[]returners.Note](t)(s.NotesOf(ctx, returners.NoteOrigin, JID(job)))
		pending := get[[]returners.Note](t)(s.NotesOf(ctx, returners.NotePending, JID(job)))
		if n := len(of); len(pending) != n || ok != (len(rets) == 1) || ok != (n == 1) {
			t.Errorf("of job %d: load %v, %d returns, %d and %d notes", job, ok, len(rets), len(of), len(pending))
		}
		return ok
	}
	cleanAll(t, s, Time(500))
	for job, kind := range held {
		if stored(job) != (kind != "") {
			t.Errorf("the job held by %q is there: %v", kind, kind == "")
		}
		if kind != "" {
			commit(t, s, returners.Batch{Notes: []returners.Note{{Kind: kind, JID: JID(job), Key: "k", Gone: true}}})
		}
	}
	cleanAll(t, s, Time(500))
	for job, kind := range held {
		if stored(job) {
			t.Errorf("the job that was held by %q stays", kind)
		}
	}
}
