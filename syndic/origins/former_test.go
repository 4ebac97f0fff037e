package origins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/momtree/mom/returners"
)

// noted lists what is noted, as kind, job, key and value.
func noted(t *testing.T, jobs returners.NoteReader) (all []string) {
	t.Helper()
	for _, kind := range []string{returners.NoteOrigin, returners.NoteOwed, returners.NoteMasterID} {
		err := returners.EachNote(t.Context(), jobs, kind, func(n returners.Note) {
			all = append(all, fmt.Sprint(n.Kind, " ", n.JID, " ", n.Key, " ", string(n.Value)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The file of an earlier version is taken over once and removed: what is damaged in it,
// and jobs that are stored no more, are left out, and what was given is not owed again.
func TestOriginsAreTakenOver(t *testing.T) {
	local, dir := newFakeLocal(), t.TempDir()
	local.own(t, job(1), job(2))
	file := filepath.Join(dir, formerFile)
	text := fmt.Sprintf("nonsense\nj\nj x\nm  \nm a:1 top\no a:1 %s\no b:1 %s\nj a:1 %s\nj a:1 %s\nj b:1 %s\n", job(1), job(1), job(2), job(3), job(1))
	write := func() {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	refuses := errors.New("the disk takes nothing")
	local.refuses = refuses
	if _, err := Open(t.Context(), Options{Local: local, Cachedir: dir, Most: 50}); !errors.Is(err, refuses) {
		t.Fatalf("with a full disk: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("it is removed before it is taken over: %v", err)
	}
	local.refuses = nil
	want := []string{"origin " + job(1) + " a:1 ", "origin " + job(1) + " b:1 ", "origin " + job(2) + " a:1 ", "owed " + job(1) + " a:1 ", "master_id  top a:1"}
	for range 2 {
		o, err := Open(t.Context(), Options{Local: local, Cachedir: dir, Most: 50})
		if err != nil {
			t.Fatal(err)
		}
		if got := noted(t, local.Store); !slices.Equal(got, want) {
			t.Errorf("taken over are %q, want %q", got, want)
		}
		if !slices.Equal(o.Of(job(1), ""), []string{"a:1", "b:1"}) || !slices.Equal(o.Of("", "top"), []string{"a:1"}) || !slices.Equal(o.Owing("a:1"), []string{job(1)}) {
			t.Errorf("known are %v, %v, owed %v", o.Of(job(1), ""), o.Of("", "top"), o.Owing("a:1"))
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file: %v", err)
		}
	}
}
