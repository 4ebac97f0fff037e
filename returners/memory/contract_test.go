package memory

import (
	"context"
	"errors"
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract(t *testing.T) {
	returnertest.RunJobStore(t, func(*testing.T) returners.JobStore { return Open(nil) })
}

func TestRefusals(t *testing.T) {
	s := Open(nil)
	ctx := context.Background()
	if _, err := s.Commit(ctx, returners.Batch{Returns: []returners.Return{{JID: "1"}}}); !errors.Is(err, returners.ErrInvalid) {
		t.Errorf("a return without id: %v", err)
	}
	if _, err := s.OutboxRead(ctx, "d", 0, 0, 0); err == nil {
		t.Error("limit 0 is taken")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OutboxRead(ctx, "d", 0, 1, 0); !errors.Is(err, returners.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
