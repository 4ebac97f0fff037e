package origins

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
	"github.com/momtree/mom/syndic/local"
)

// job returns the id of job n.
func job(n int) string { return fmt.Sprintf("20260301%012d", n) }

// fakeLocal keeps jobs and notes in memory.
type fakeLocal struct {
	*memory.Store
	refuses error // error of every note
}

func newFakeLocal() *fakeLocal { return &fakeLocal{Store: memory.Open(time.Now)} }

func (l *fakeLocal) Jobs() local.Jobs { return l.Store }

func (l *fakeLocal) Note(ctx context.Context, notes ...returners.Note) error {
	if l.refuses != nil {
		return l.refuses
	}
	_, err := l.Commit(ctx, returners.Noted(notes...))
	return err
}

// The number of master_id values is bounded, on disk too.
func TestOrigins_AreBounded(t *testing.T) {
	local := newFakeLocal()
	const most = 50
	open := func() *Origins {
		o, err := Open(t.Context(), Options{Local: local, Most: most})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := open()
	for i := range rememberedMasters + 10 {
		if err := o.LearnMaster(t.Context(), "top:4506", fmt.Sprint("master-", i)); err != nil {
			t.Fatal(err)
		}
		o.Learn("top:4506", job(i))
		if err := o.Note(t.Context(), o.Asks("top:4506", job(i))...); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	if err := returners.EachNote(t.Context(), local.Store, returners.NoteMasterID, func(returners.Note) { n++ }); err != nil || n != rememberedMasters {
		t.Errorf("%d values of master_id, %v", n, err)
	}
	for range 2 {
		if got := o.Of("other", fmt.Sprint("master-", rememberedMasters+9)); len(got) != 1 || got[0] != "top:4506" {
			t.Errorf("master_id: %v", got)
		}
		if len(o.Of(job(rememberedMasters+9), "")) != 1 || len(o.Of(job(0), "")) != 0 || o.jobs.Len() != most {
			t.Errorf("wrong jobs of %d remembered", o.jobs.Len())
		}
		o = open()
	}
}
