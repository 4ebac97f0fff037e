package master

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/momtree/mom/returners"
)

// commits records commits.
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

// take returns the synced commits since the last call, and the kinds of notes in the others.
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

// The start of a job is one synced commit with everything a restart needs. The end of a job
// without missing minions needs no sync.
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
		if unreported := r.notes(returners.NoteUnreported); (len(unreported) == 1) != (parent != "") {
			t.Errorf("with parent %q unreported are %v", parent, unreported)
		}
		r.stop()
	}
}

// A job of a master above is stored with its requester in one commit. A later requester is stored
// before anything is reported to it, and a refused job leaves nothing.
func TestAJobIsOneCommitWithWhoAsks(t *testing.T) {
	r := newRig(t)
	r.opts.Parent = returners.DestAbove
	c, disk := new(commits).of(r), &failing{}
	r.opts.wrapStore = func(s returners.JobStore) returners.JobStore { c.JobStore, disk.JobStore = s, c; return disk }
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	c.take()
	job := fromAbove(t, "m1")
	ask := func(addr string) returners.Note {
		return returners.Note{Kind: returners.NoteOrigin, JID: job.JID, Key: addr}
	}
	for i, addr := range []string{"a:4506", "b:4506"} {
		disk.now.Store(true)
		if err := r.Publish(t.Context(), job, ask(addr)); !errors.Is(err, ErrNotNow) {
			t.Errorf("asked by %s while the disk is full: %v", addr, err)
		}
		disk.now.Store(false)
		if err := r.Publish(t.Context(), job, ask(addr)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			m.hear()
		}
		synced, _ := c.take()
		if len(synced) != 1 || len(synced[0].Loads) != 1-i || !slices.ContainsFunc(synced[0].Notes, func(n returners.Note) bool { return n.Key == addr }) {
			t.Errorf("asked by %s it took %d commits that are synced: %+v", addr, len(synced), synced)
		}
	}
	other := fromAbove(t, "nosuch")
	if err := r.Publish(t.Context(), other, returners.Note{Kind: returners.NoteOrigin, JID: other.JID, Key: "a:4506"}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("no minion matches: %v", err)
	}
	if asked := r.notes(returners.NoteOrigin); !slices.Equal(asked, []string{job.JID, job.JID}) {
		t.Errorf("asked for are %v", asked)
	}
}
