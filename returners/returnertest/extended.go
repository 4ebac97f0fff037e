package returnertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
)

// testExtended: the load of a further publication extends the stored one, however the store
// keeps it.
func testExtended(t *testing.T, s returners.JobStore) {
	ctx := context.Background()
	load := func(part int, ids ...string) returners.Load {
		l := Load(t, 1, "test.ping", ids[0], "tgt", ids, "tgt_type", "list")
		l.Own = true
		if part > 0 {
			must(t, l.Extend(ids, part))
		}
		return l
	}
	must(t, s.SaveLoads(ctx, []returners.Load{load(0, "b")}))
	all := []string{"b"}
	for i := range 400 {
		id := fmt.Sprintf("m%03d", 399-i)
		all = append(all, id)
		l := load(len(all), all...)
		l.More = []string{id}
		res, err := s.Commit(ctx, returners.Batch{Loads: []returners.Load{l}, Outbox: []returners.Item{{Dest: "d", Kind: returners.KindLoad, JID: JID(1)}}})
		if err != nil || len(res.NewLoads) != 1 || !res.NewLoads[0] {
			t.Fatalf("extended: %+v, %v", res, err)
		}
	}
	want := load(401, all...)
	must(t, s.SaveLoads(ctx, []returners.Load{Load(t, 2, "test.ping", "m*")}))
	got, ok, err := s.GetLoad(ctx, JID(1))
	if diff := cmp.Diff(JSON(t, want.Raw), JSON(t, got.Raw)); err != nil || !ok || diff != "" || got.Part() != 401 {
		t.Errorf("read: %v, %v; %s", ok, err, diff)
	}
	for _, f := range []returners.Filter{{}, {Target: []string{"m000"}, Limit: 1}} {
		list, err := s.ListJobs(ctx, f)
		if diff := cmp.Diff(JSON(t, want.Raw), JSON(t, list[len(list)-1].Raw)); err != nil || diff != "" || len(list) != 2-f.Limit {
			t.Errorf("%+v: %d jobs, %v; %s", f, len(list), err, diff)
		}
	}
	items, err := s.OutboxRead(ctx, "d", 0, 1000, 0)
	if err != nil || len(items) != 400 {
		t.Fatalf("%d pending rows, %v", len(items), err)
	}
	if diff := cmp.Diff(JSON(t, want.Raw), JSON(t, items[399].Load.Raw)); diff != "" {
		t.Errorf("pending rows: %s", diff)
	}
	var seqs []int64
	for _, it := range items {
		seqs = append(seqs, it.Seq)
	}
	must(t, s.OutboxAck(ctx, "d", seqs))
	for {
		n, err := s.Clean(ctx, Time(1).Add(1000*time.Hour), 100)
		if must(t, err); n == 0 {
			break
		}
	}
	must(t, s.SaveLoads(ctx, []returners.Load{load(0, "b")}))
	if got, _, err := s.GetLoad(ctx, JID(1)); err != nil || len(got.Targets()) != 1 {
		t.Errorf("after it was removed: %v, %v", got.Targets(), err)
	}
}
