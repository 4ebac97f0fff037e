package syndic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
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

// C14: who asked for a job is stored with the job and not by itself: there is neither
// without the other. A job that is not taken leaves nothing.
func TestOriginsAreStoredWithTheJob(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := plant(t, nil, a, b)
	n.local.notWithout = true
	n.run(t)
	n.awaitUp(t)
	n.master.answers(func() error { return ErrNoMatch })
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the answer", func() bool { return a.heard(job(1)) == 1 })
	n.master.answers(nil)
	a.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(noted(t, n.local.notes)) == 1 })
	b.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the job again", func() bool { return len(n.master.published()) == 3 })
	waiting.Until(t, "the end of the debt", func() bool { return len(n.parents.origins.owing(b.Addr())) == 0 })
	want := []string{"origin " + job(2) + " " + a.Addr() + " ", "origin " + job(2) + " " + b.Addr() + " "}
	slices.Sort(want)
	waiting.Until(t, "both who asked", func() bool { return slices.Equal(noted(t, n.local.notes), want) })
}

// Values of master_id have a bound, on the disk too.
func TestOrigins_AreBounded(t *testing.T) {
	local := newFakeLocal()
	defer local.bus.Close()
	const most = 50
	open := func() *origins {
		o, err := openOrigins(t.Context(), local, t.TempDir(), most)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := open()
	for i := range rememberedMasters + 10 {
		if err := o.learnMaster(t.Context(), "top:4506", fmt.Sprint("master-", i)); err != nil {
			t.Fatal(err)
		}
		o.learn("top:4506", job(i))
		if err := o.note(t.Context(), o.asks("top:4506", job(i))...); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	if err := returners.EachNote(t.Context(), local.notes, returners.NoteMasterID, func(returners.Note) { n++ }); err != nil || n != rememberedMasters {
		t.Errorf("%d values of master_id, %v", n, err)
	}
	for range 2 {
		if got := o.of("other", fmt.Sprint("master-", rememberedMasters+9)); len(got) != 1 || got[0] != "top:4506" {
			t.Errorf("master_id: %v", got)
		}
		if len(o.of(job(rememberedMasters+9), "")) != 1 || len(o.of(job(0), "")) != 0 || o.jobs.Len() != most {
			t.Errorf("of %d jobs the wrong ones are known", o.jobs.Len())
		}
		o = open()
	}
}

// The file of an earlier version is taken over once and removed: what is damaged in it,
// and jobs that are stored no more, are left out, and what was given is not owed again.
func TestOriginsAreTakenOver(t *testing.T) {
	local, dir := newFakeLocal(), t.TempDir()
	defer local.bus.Close()
	local.own(t, job(1), job(2))
	file := filepath.Join(dir, originsFile)
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
	if _, err := openOrigins(t.Context(), local, dir, 50); !errors.Is(err, refuses) {
		t.Fatalf("with a full disk: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("it is removed before it is taken over: %v", err)
	}
	local.refuses = nil
	want := []string{"origin " + job(1) + " a:1 ", "origin " + job(1) + " b:1 ", "origin " + job(2) + " a:1 ", "owed " + job(1) + " a:1 ", "master_id  top a:1"}
	for range 2 {
		o, err := openOrigins(t.Context(), local, dir, 50)
		if err != nil {
			t.Fatal(err)
		}
		if got := noted(t, local.notes); !slices.Equal(got, want) {
			t.Errorf("taken over are %q, want %q", got, want)
		}
		if !slices.Equal(o.of(job(1), ""), []string{"a:1", "b:1"}) || !slices.Equal(o.of("", "top"), []string{"a:1"}) || !slices.Equal(o.owing("a:1"), []string{job(1)}) {
			t.Errorf("known are %v, %v, owed %v", o.of(job(1), ""), o.of("", "top"), o.owing("a:1"))
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file: %v", err)
		}
	}
}

var _ Local = (*fakeLocal)(nil)
