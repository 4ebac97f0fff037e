package syndic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/local"
)

// noted lists notes as kind, job, key and value.
func noted(t *testing.T, jobs returners.NoteReader) (all []string) {
	t.Helper()
	for _, kind := range []string{returners.NoteOrigin, returners.NotePending, returners.NoteMasterID} {
		err := returners.EachNote(t.Context(), jobs, kind, func(n returners.Note) {
			all = append(all, fmt.Sprint(n.Kind, " ", n.JID, " ", n.Key, " ", string(n.Value)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The requester of a job is stored in the same commit as the job. A refused job leaves no note.
func TestOriginsAreStoredWithTheJob(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := plant(t, nil, a, b)
	n.local.notWithout = true
	n.run(t)
	n.awaitUp(t)
	n.master.answers(func() error { return local.ErrNoMatch })
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the answer", func() bool { return a.heard(job(1)) == 1 })
	n.master.answers(nil)
	a.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(noted(t, n.local.notes)) == 1 })
	b.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the job again", func() bool { return len(n.master.published()) == 3 })
	waiting.Until(t, "the end of the debt", func() bool { return len(n.parents.origins.Pending(b.Addr())) == 0 })
	want := []string{"origin " + job(2) + " " + a.Addr() + " ", "origin " + job(2) + " " + b.Addr() + " "}
	slices.Sort(want)
	waiting.Until(t, "both who asked", func() bool { return slices.Equal(noted(t, n.local.notes), want) })
}

var _ local.Master = (*fakeLocal)(nil)
