package engine

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

// The reasons of queued minions are stored before their publication is dropped, however small the
// batch: a restart in between would report no minion.
func TestReasonsBeforeThePublicationGoes(t *testing.T) {
	store := memory.Open(time.Now)
	defer store.Close()
	b := bounds.Default()
	b.WordBatch = 1
	e := New(Config{Storage: store, Bounds: b, Now: time.Now})
	const jid = "20260102030405000001"
	e.KeepPublication(returners.Part{JID: jid}, true)
	e.Overdue(jid, Expired, map[string]string{"m1": "n1"})
	e.DropPublications(returners.Part{JID: jid})
	s, ok := e.NextSave()
	if !ok || len(s.Batch.Expectations) != 1 || len(s.Batch.Notes) != 0 {
		t.Errorf("first are stored %+v and %+v", s.Batch.Expectations, s.Batch.Notes)
	}
	res, err := store.Commit(t.Context(), s.Batch)
	if e.Saved(s, res, err); err != nil {
		t.Fatal(err)
	}
	if s, ok = e.NextSave(); !ok || len(s.Batch.Notes) != 2 {
		t.Errorf("then %+v", s.Batch.Notes)
	}
}
