package master

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/momtree/mom/returners"
)

// commits notes what is committed.
type commits struct {
	returners.JobStore
	mu  sync.Mutex
	all []returners.Batch
}

func (c *commits) Commit(ctx context.Context, b returners.Batch) (returners.Result, error) {
	res, err := c.JobStore.Commit(ctx, b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, b)
	return res, err
}

// take gives the commits since the last call that were synced, and the kinds of notes of
// the others.
func (c *commits) take() (synced []returners.Batch, others []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.all {
		if !b.Unsynced {
			synced = append(synced, b)
			continue
		}
		for _, n := range b.Notes {
			others = append(others, n.Kind)
		}
	}
	c.all = nil
	return synced, others
}

func (c *commits) of(r *rig) *commits {
	r.opts.wrapStore = func(s returners.JobStore) returners.JobStore { c.JobStore = s; return c }
	return c
}

// C14: the start of a job is one commit with all that a restart has to know of it, and so
// one sync of the disk; the end of a job that nobody misses in needs none.
func TestAJobIsOneCommit(t *testing.T) {
	for _, parent := range []string{"", returners.DestParent("above")} {
		r := newRig(t)
		r.opts.Parent = parent
		c := new(commits).of(r)
		r.start()
		m := r.minion("m1", "minion", "minion").listen().announce()
		events := r.events()
		c.take()
		jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
		m.hear()
		synced, _ := c.take()
		if len(synced) != 1 || len(synced[0].Loads) != 1 || len(synced[0].Expectations) != 1 {
			t.Fatalf("with parent %q it took %d commits that are synced: %+v", parent, len(synced), synced)
		}
		var kinds []string
		for _, n := range synced[0].Notes {
			if n.JID != jid || n.Gone {
				t.Errorf("note %+v", n)
			}
			kinds = append(kinds, n.Kind)
		}
		if slices.Sort(kinds); !slices.Equal(kinds, []string{returners.NoteOpen, returners.NotePublication}) {
			t.Errorf("with notes %v", kinds)
		}
		if err := m.answer(jid, true); err != nil {
			t.Fatal(err)
		}
		events.take("salt/job/" + jid + "/complete")
		eventually(t, "it is closed on the disk", func() bool { return len(r.notes(returners.NoteOpen)) == 0 })
		if kept := r.notes(returners.NotePublication); len(kept) != 0 {
			t.Errorf("with parent %q kept are %v", parent, kept)
		}
		if synced, _ := c.take(); len(synced) != 1 || len(synced[0].Returns) != 1 {
			t.Errorf("with parent %q its return and its end took %d commits that are synced", parent, len(synced))
		}
		if untold := r.notes(returners.NoteUntold); (len(untold) == 1) != (parent != "") {
			t.Errorf("with parent %q untold are %v", parent, untold)
		}
		r.stop()
	}
}
