package master

import (
	"testing"

	"github.com/momtree/mom/returners"
)

// A node with queued returns remembers the guests that have left: the master above accepts their
// returns only from a node that has them.
func TestGuestsAreRememberedWhileReturnsArePending(t *testing.T) {
	r := belowATop(t)
	r.start()
	m := r.minion("guest", "minion", "minion")
	if r.pendingAbove() != 0 {
		t.Fatal("returns are pending at the start")
	}
	if err := m.answer(someJob, true); err != nil {
		t.Fatal(err)
	}
	if r.pendingAbove() == 0 {
		t.Error("the return is not pending")
	}
	rows, err := r.store.Outbox().OutboxRead(t.Context(), returners.DestAbove, 0, 10, 1<<20)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if err := r.store.Outbox().OutboxAck(t.Context(), returners.DestAbove, []int64{rows[0].Seq}); err != nil {
		t.Fatal(err)
	}
	if r.pendingAbove() != 0 {
		t.Error("the return is still pending")
	}
}
