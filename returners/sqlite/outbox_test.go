package sqlite

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestOutboxReadIsBounded(t *testing.T) {
	s := open(t)
	if _, err := s.Commit(background, batchOf(t, 30, 1000)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ limit, bytes, want int }{{5, 0, 5}, {100, 0, 30}, {100, 3500, 3}, {100, 1, 1}} {
		items, err := s.OutboxRead(background, "parent:top", 0, c.limit, c.bytes)
		if err != nil || len(items) != c.want {
			t.Errorf("limit %d, %d bytes: %d rows, %v; want %d", c.limit, c.bytes, len(items), err, c.want)
		}
	}
	if _, err := s.OutboxRead(background, "parent:top", 0, 0, 0); err == nil {
		t.Error("limit 0 is taken")
	}
	if items, err := s.OutboxRead(background, "parent:other", 0, 10, 0); err != nil || len(items) != 0 {
		t.Errorf("another destination: %d, %v", len(items), err)
	}
	if n, err := s.OutboxForget(background, "parent:top", 12); n != 12 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
	if d := s.OutboxDests(); d["parent:top"] != 18 {
		t.Errorf("depths %v", d)
	}
}

func TestReturnsTravelByteExact(t *testing.T) {
	s := open(t)
	// Not the shortest form of its values, and bytes that are not UTF-8: decoding and
	// encoding would change it.
	full := []byte("\x82\xd9\x03jid\xda\x00\x01\xff\xa6return\xd2\x00\x00\x00\x01")
	b := Batch{
		Returns: []returners.Return{{JID: "j", ID: "m", Full: full, Value: []byte("\xd2\x00\x00\x00\x01")}},
		Outbox:  []Item{{Dest: "parent:top", Kind: returners.KindReturn, JID: "j", ID: "m"}, {Dest: "parent:b", Kind: returners.KindReturn, JID: "j", ID: "m", Payload: []byte("own")}},
	}
	if _, err := s.Commit(background, b); err != nil {
		t.Fatal(err)
	}
	items, err := s.OutboxRead(background, "parent:top", 0, 1, 0)
	if err != nil || len(items) != 1 || !bytes.Equal(items[0].Payload, full) || !bytes.Equal(items[0].Return.Value, b.Returns[0].Value) {
		t.Errorf("%+v, %v", items, err)
	}
	if items, err := s.OutboxRead(background, "parent:b", 0, 1, 0); err != nil || string(items[0].Payload) != "own" {
		t.Errorf("a payload of its own: %q, %v", items[0].Payload, err)
	}
}

func TestLoadsAndExpectationsAreQueuedOnce(t *testing.T) {
	s := open(t)
	b := Batch{
		Loads:        []returners.Load{returnertest.Load(t, 1, "test.ping", "*")},
		Expectations: []returners.Expectation{{JID: returnertest.JID(1), Node: "n", Minions: []string{"a"}}},
		Outbox: []Item{
			{Dest: "mysql", Kind: returners.KindLoad, JID: returnertest.JID(1)},
			{Dest: "mysql", Kind: returners.KindExpectation, JID: returnertest.JID(1), ID: "n"},
		},
	}
	for range 3 {
		if _, err := s.Commit(background, b); err != nil {
			t.Fatal(err)
		}
	}
	items, err := s.OutboxRead(background, "mysql", 0, 10, 0)
	if err != nil || len(items) != 2 {
		t.Fatalf("%d rows, %v; want 2", len(items), err)
	}
	if l := items[0].Load; l == nil || l.Fun() != "test.ping" || l.User != "root" || !bytes.Equal(items[0].Payload, b.Loads[0].Raw) {
		t.Errorf("load: %+v", items[0])
	}
	e, err := returners.DecodeExpectation(items[1].Payload)
	if x := items[1].Expectation; x == nil || len(x.Minions) != 1 || err != nil || e.Node != "n" {
		t.Errorf("expectation: %+v, %v", items[1], err)
	}
}

func TestCommitRefusesWhatItCannotKeep(t *testing.T) {
	s := open(t)
	good := batchOf(t, 1, 1)
	for name, b := range map[string]Batch{
		"no id":              {Returns: []returners.Return{{JID: "1"}}},
		"no jid":             {Loads: []returners.Load{{}}},
		"no tag":             {Events: []returners.Event{{}}},
		"expectation":        {Expectations: []returners.Expectation{{Node: "n"}}},
		"row of another job": {Returns: good.Returns, Outbox: []Item{{Dest: "d", Kind: returners.KindReturn, JID: "other", ID: "m"}}},
		"no destination":     {Outbox: []Item{{Kind: returners.KindEvent, Payload: []byte{1}}}},
		"event of nothing":   {Outbox: []Item{{Dest: "d", Kind: returners.KindEvent}}},
		"kind of nothing":    {Outbox: []Item{{Dest: "d", Kind: "x"}}},
		"one of two is bad":  {Returns: append(good.Returns, returners.Return{ID: "x"})},
	} {
		if _, err := s.Commit(background, b); !errors.Is(err, returners.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if rets, err := s.GetReturns(background, returnertest.JID(1)); len(rets) != 0 || err != nil {
		t.Errorf("%d returns were stored, %v", len(rets), err)
	}
}

func TestTwentyMegabytes(t *testing.T) {
	s := open(t)
	big := returnertest.Return(t, 1, "big", "cmd.run", strings.Repeat("y", 20<<20))
	if err := s.SaveReturns(background, []returners.Return{big}); err != nil {
		t.Fatal(err)
	}
	rets, err := s.GetReturns(background, returnertest.JID(1))
	if err != nil || len(rets) != 1 || !bytes.Equal(rets[0].Full, big.Full) || !bytes.Equal(rets[0].Value, big.Value) {
		t.Errorf("%d returns, %v", len(rets), err)
	}
}

// Readers see whole commits and do not wait for a running transaction.
func TestReadersDoNotWait(t *testing.T) {
	s := open(t)
	if _, err := s.Commit(background, batchOf(t, 3, 1)); err != nil {
		t.Fatal(err)
	}
	inside, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.write(background, "test", func(ctx context.Context, w *writer) error {
			_, err := w.returns1(ctx, returners.Return{JID: returnertest.JID(1), ID: "late"})
			close(inside)
			<-leave
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	if rets, err := s.GetReturns(background, returnertest.JID(1)); len(rets) != 3 || err != nil {
		t.Errorf("while a transaction runs: %d returns, %v", len(rets), err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := s.Commit(ctx, batchOf(t, 1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for the turn does not end with its context: %v", err)
	}
	close(leave)
	wg.Wait()
	if rets, err := s.GetReturns(background, returnertest.JID(1)); len(rets) != 4 || err != nil {
		t.Errorf("afterwards: %d returns, %v", len(rets), err)
	}
}

func (w *writer) returns1(ctx context.Context, r returners.Return) (bool, error) {
	return w.putReturn(ctx, &r, w.now)
}

func TestCleanKeepsPendingRows(t *testing.T) {
	s := open(t)
	pendingJob := batchOf(t, 20, 10)
	if _, err := s.Commit(background, pendingJob); err != nil {
		t.Fatal(err)
	}
	free := returnertest.Return(t, 2, "m", "test.ping", true)
	if err := s.SaveReturns(background, []returners.Return{free}); err != nil {
		t.Fatal(err)
	}
	later := returnertest.Time(1000)
	if n, err := s.Clean(background, later, 100); n != 2 || err != nil { // the return and the jids row of job 2
		t.Errorf("%d rows, %v", n, err)
	}
	items, err := s.OutboxRead(background, "parent:top", 0, 100, 0)
	if err != nil || len(items) != 20 || items[19].Return == nil {
		t.Fatalf("%d pending, %v", len(items), err)
	}
	var seqs []int64
	for _, it := range items[1:] {
		seqs = append(seqs, it.Seq)
	}
	if err := s.OutboxAck(background, "parent:top", seqs); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Clean(background, later, 100); n != 0 || err != nil {
		t.Errorf("one is still pending, but %d rows were removed, %v", n, err)
	}
	if err := s.OutboxReject(background, "parent:top", items[0].Seq, "refused"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Clean(background, later, 100); n != 21 || err != nil {
		t.Errorf("%d rows, %v; want 20 returns and their job", n, err)
	}
	if d := s.OutboxDests(); len(d) != 0 {
		t.Errorf("left: %v", d)
	}
}

// The size of an outbox is known at once, also after a restart.
func TestOutboxSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openAt(t, path)
	full := []byte("\x82\xa3jid\xa1j\xa6return\xa5hello")
	b := Batch{
		Returns: []returners.Return{{JID: "j", ID: "m", Full: full, Value: full[len(full)-6:]}},
		Loads:   []returners.Load{{JID: "j", Raw: []byte("\x81\xa3fun\xa1f")}},
		Outbox: []Item{
			{Dest: "parent:top", Kind: returners.KindReturn, JID: "j", ID: "m"},
			{Dest: "parent:top", Kind: returners.KindLoad, JID: "j"},
			{Dest: "parent:b", Kind: returners.KindReturn, JID: "j", ID: "m", Payload: []byte("own")},
			{Dest: "mysql", Kind: returners.KindEvent, Payload: []byte("event")},
		},
	}
	if _, err := s.Commit(background, b); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want map[string]weight) {
		t.Helper()
		for dest, w := range want {
			if rows, bytes := s.OutboxSize(dest); rows != w.rows || bytes != w.bytes {
				t.Errorf("%s: %s holds %d rows of %d bytes, want %+v", when, dest, rows, bytes, w)
			}
		}
	}
	want := map[string]weight{"parent:top": {2, int64(len(full)) + 7}, "parent:b": {1, 3}, "mysql": {1, 5}, "parent:nobody": {}}
	check("written", want)
	if _, err := s.Commit(background, b); err != nil { // a repeat adds no outbox row except its event
		t.Fatal(err)
	}
	want["mysql"] = weight{2, 10}
	check("repeated", want)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	check("opened again", want)
	items, err := s.OutboxRead(background, "parent:top", 0, 10, 0)
	if err != nil || len(items) != 2 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	if err := s.OutboxReject(background, "parent:top", items[0].Seq, "why"); err != nil {
		t.Fatal(err)
	}
	if err := s.OutboxAck(background, "parent:top", []int64{items[1].Seq, items[1].Seq, 4711}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OutboxForget(background, "mysql", 10); err != nil {
		t.Fatal(err)
	}
	want["parent:top"], want["mysql"] = weight{}, weight{}
	want[returners.Rejected("parent:top")] = weight{1, int64(len(full))}
	check("taken", want)
}

// A row with several destinations is on the disk once for each. The sizes of the
// outboxes are right at once and after a restart. It runs with 1,200 returns: more than
// OutboxBackfill writes in one transaction.
func TestOutboxIsShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openAt(t, path)
	if _, err := s.Commit(background, batchOf(t, 1200, 10)); err != nil {
		t.Fatal(err)
	}
	items, err := s.OutboxRead(background, "parent:top", 0, 700, 0)
	if err != nil {
		t.Fatal(err)
	}
	moves := []returners.Move{{Seq: 1 << 40, To: []string{"parent:b"}}}
	for i, it := range items {
		m := returners.Move{Seq: it.Seq, To: []string{"parent:b", "parent:c"}}
		moves = append(moves, returners.Move{Seq: m.Seq, To: m.To[:i%3]})
	}
	if err := s.OutboxMove(background, "parent:top", moves); err != nil {
		t.Fatal(err)
	}
	if n, err := s.OutboxBackfill(background, "parent:d", items[0].JID); n != 1200 || err != nil {
		t.Fatalf("pending: %d, %v", n, err)
	}
	want := map[string]int64{"parent:top": 500, "parent:b": 466, "parent:c": 233, "parent:d": 1200}
	for range 2 {
		if got := s.OutboxDests(); !maps.Equal(got, want) {
			t.Errorf("pending are %v, want %v", got, want)
		}
		_, bytes := s.OutboxSize("parent:d")
		if got, err := s.OutboxRead(background, "parent:d", 0, 2000, 0); err != nil || len(got) != 1200 || got[7].ID != returnertest.Minion(7) || got[7].Return == nil || bytes == 0 {
			t.Errorf("%d rows of %d bytes, %v", len(got), bytes, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openAt(t, path)
	}
	if n, err := s.Clean(background, returnertest.Time(1000), 100); n != 0 || err != nil {
		t.Errorf("%d pending rows cleaned, %v", n, err)
	}
}
