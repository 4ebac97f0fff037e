package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
)

func TestCountJob(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "jobs.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := returners.Batch{}
	for i, id := range []string{"m1", "m2", "m3"} {
		b.Returns = append(b.Returns, returners.Return{JID: "1", ID: id, Full: []byte{0x80}, At: at.Add(time.Duration(i) * time.Second)})
		b.Outbox = append(b.Outbox, returners.Item{Dest: "parent:above", Kind: returners.KindReturn, JID: "1", ID: id})
	}
	b.Outbox = append(b.Outbox, returners.Item{Dest: "mysql", Kind: returners.KindReturn, JID: "1", ID: "m1"})
	if _, err := s.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	c, err := s.CountJob(t.Context(), "1")
	if err != nil || c.Returns != 3 || !c.First.Equal(at) || !c.Last.Equal(at.Add(2*time.Second)) || c.Pending["parent:above"] != 3 || c.Pending["mysql"] != 1 {
		t.Errorf("%+v %v", c, err)
	}
	c, err = s.CountJob(t.Context(), "2")
	if err != nil || c.Returns != 0 || !c.First.IsZero() || len(c.Pending) != 0 {
		t.Errorf("unknown job: %+v %v", c, err)
	}
}
