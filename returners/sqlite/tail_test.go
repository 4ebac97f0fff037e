package sqlite

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// TestWhatWasJustCommittedIsNotReadFromTheFile: a forwarder without a backlog gets rows
// from memory, of every kind and in the same form as from the file.
func TestWhatWasJustCommittedIsNotReadFromTheFile(t *testing.T) {
	s := open(t)
	jid, dest := returnertest.JID(1), returners.DestMySQL
	ret := returners.Return{JID: jid, ID: "m", Fun: "test.ping", Success: true, Out: "nested", Full: []byte{0x81, 0xa1, 0x78, 7}, Value: []byte{7}}
	batch := Batch{
		Loads: []returners.Load{{JID: jid, Raw: []byte{0x80}, User: "root"}}, Returns: []returners.Return{ret},
		Expectations: []returners.Expectation{{JID: jid, Minions: []string{"m"}, State: returners.StateAnswered, At: returnertest.Time(2)}},
		Outbox: []Item{
			{Dest: dest, Kind: returners.KindLoad, JID: jid},
			{Dest: dest, Kind: returners.KindExpectation, JID: jid},
			{Dest: dest, Kind: returners.KindReturn, JID: jid, ID: "m"},
			{Dest: dest, Kind: returners.KindReturn, JID: jid, ID: "m", Payload: []byte("twice")},
			{Dest: dest, Kind: returners.KindEvent, Payload: []byte("event")},
		},
	}
	if _, err := s.Commit(background, batch); err != nil {
		t.Fatal(err)
	}
	rows, here := s.depth.read(dest, 0, 10, 0)
	filed, err := s.readOutbox(background, dest, 0, 10, 0)
	if err != nil || !here || len(rows) != 4 || !reflect.DeepEqual(rows, filed) {
		t.Errorf("in memory (%v)\n%+v, in the file\n%+v, %v", here, rows, filed, err)
	}
	if _, here := s.depth.read("parent:nobody", 0, 10, 0); !here {
		t.Error("an empty outbox is read from the file")
	}
}

// TestABehindReaderComesBackToMemory: rows beyond the bounds are read from the file, in
// order, until the reader has caught up.
func TestABehindReaderComesBackToMemory(t *testing.T) {
	s, err := Open(background, Options{Path: filepath.Join(t.TempDir(), "jobs.db"), TailRows: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	owe := func(ids ...string) {
		t.Helper()
		var b Batch
		for _, id := range ids {
			b.Returns = append(b.Returns, returners.Return{JID: returnertest.JID(1), ID: id, Full: []byte(id)})
			b.Outbox = append(b.Outbox, Item{Dest: "parent:top", Kind: returners.KindReturn, JID: returnertest.JID(1), ID: id})
		}
		if _, err := s.Commit(background, b); err != nil {
			t.Fatal(err)
		}
	}
	owe("a", "b", "c", "d", "e")
	if rows, here := s.depth.read("parent:top", 0, 10, 0); here {
		t.Errorf("with five rows and room for three, all of them are in memory: %+v", rows)
	}
	page, err := s.OutboxRead(background, "parent:top", 0, 2, 0)
	if err != nil || len(page) != 2 || page[1].ID != "b" {
		t.Fatalf("%+v, %v", page, err)
	}
	if rows, here := s.depth.read("parent:top", page[1].Seq, 10, 0); !here || len(rows) != 3 || rows[0].ID != "c" {
		t.Errorf("who has caught up is given %+v, %v", rows, here)
	}
	if err := s.OutboxAck(background, "parent:top", []int64{page[0].Seq, page[1].Seq}); err != nil {
		t.Fatal(err)
	}
	if rows, here := s.depth.read("parent:top", 0, 10, 0); !here || len(rows) != 3 {
		t.Errorf("when what is older is done, the start is at %+v, %v", rows, here)
	}
}

// TestAFailedCommitIsCountedAgain: after a commit with an unknown outcome, nothing in
// memory is used until the file has been counted.
func TestAFailedCommitIsCountedAgain(t *testing.T) {
	s := open(t)
	s.depth.uncertain()
	if _, err := s.w.Exec("INSERT INTO outbox (dest, kind, jid, id, at, payload, size) VALUES ('parent:top', 'event', '', '', 1, 'x', 1)"); err != nil {
		t.Fatal(err)
	}
	if rows, err := s.OutboxRead(background, "parent:top", 0, 10, 0); err != nil || len(rows) != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if err := s.OutboxAck(background, "parent:nobody", []int64{1}); err != nil { // the next write
		t.Fatal(err)
	}
	if n, bytes := s.OutboxSize("parent:top"); n != 1 || bytes != 1 {
		t.Errorf("%d rows of %d bytes are counted, want 1 of 1", n, bytes)
	}
	if rows, err := s.OutboxRead(background, "parent:top", 0, 10, 0); err != nil || len(rows) != 1 {
		t.Errorf("%+v, %v", rows, err)
	}
}
