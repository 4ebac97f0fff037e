package events

import (
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func TestQueueIsBounded(t *testing.T) {
	q := queue{max: 100, maxBytes: 1000}
	for i := range 1000 {
		q.push(bus.Event{Tag: fmt.Sprint(i)})
	}
	if q.len() != 100 || q.takeLost() != 900 {
		t.Errorf("len %d", q.len())
	}
	if got := q.take(room{1, 10, 1000}); got[0].Tag != "900" {
		t.Errorf("the oldest is %s", got[0].Tag)
	}
	big := bus.Event{Tag: "big", Data: make([]byte, 990)}
	q.push(big)
	if q.len() != 3 || q.bytes > 1000 {
		t.Errorf("len %d, bytes %d", q.len(), q.bytes)
	}
	q.push(bus.Event{Tag: "huge", Data: make([]byte, 5000)}) // a single event may exceed the bound
	if q.len() != 1 {
		t.Errorf("len %d", q.len())
	}
	if got := q.take(room{10, 100, 1000}); len(got) != 1 || q.bytes != 0 || q.len() != 0 {
		t.Errorf("take %d, bytes %d", len(got), q.bytes)
	}
}

// A request never has more msgpack values than a parent decodes. Ten reports of 5,000 to 200,000
// minions each, with default bounds.
func TestQueue_RequestValuesAreBounded(t *testing.T) {
	b := bounds.Default()
	if 2*b.ReportBatchValues > server.MaxValues {
		t.Errorf("%d values sent, the limit is %d", 2*b.ReportBatchValues, server.MaxValues)
	}
	for _, minions := range []int{5000, 50_000, 200_000, 600_000} {
		words := make([]bus.Event, 10)
		for i := range words {
			ids := make([]any, minions)
			for j := range ids {
				ids[j] = int64(j % 100)
			}
			data, err := wire.Encode(wire.NewMap("minions", ids))
			if err != nil {
				t.Fatal(err)
			}
			words[i] = bus.Event{Tag: fmt.Sprint(i), Data: data}
		}
		for _, stays := range []string{"", "3"} {
			q := queue{max: 100, maxBytes: 1 << 30}
			for _, e := range words {
				q.push(e)
			}
			requests, sent := 0, 0
			for q.len() > 0 {
				batch := q.takeBut(func(e bus.Event) bool { return e.Tag == stays }, room{b.ReportBatch, b.ReportBatchBytes, b.ReportBatchValues})
				if len(batch) == 0 {
					break
				}
				n := 0
				for _, e := range batch {
					n += values(e)
				}
				if n > b.ReportBatchValues && len(batch) > 1 {
					t.Errorf("%d reports with %d values in one request", len(batch), n)
				}
				requests, sent = requests+1, sent+len(batch)
			}
			if want := 10 - len(stays); sent != want || minions == 5000 && requests != 1 {
				t.Errorf("%d minions: %d of %d reports in %d requests", minions, sent, want, requests)
			}
		}
	}
}

func TestQueuePutsBackWhatFits(t *testing.T) {
	q := queue{max: 5, maxBytes: 1000}
	var batch []bus.Event
	for i := range 4 {
		batch = append(batch, bus.Event{Tag: fmt.Sprint("old-", i)})
	}
	for i := range 3 {
		q.push(bus.Event{Tag: fmt.Sprint("new-", i)})
	}
	q.putBack(batch)
	var tags []string
	for _, e := range q.take(room{10, 1000, 1000}) {
		tags = append(tags, e.Tag)
	}
	if got := strings.Join(tags, " "); got != "old-2 old-3 new-0 new-1 new-2" || q.takeLost() != 2 || q.bytes != 0 {
		t.Errorf("got %s, bytes %d", got, q.bytes)
	}
}

func TestTakeBut(t *testing.T) {
	for _, c := range []struct {
		busy, out, kept string
		n, bytes        int
	}{
		{"", "a1 b1 a2 c1 b2", "", 10, 100},
		{"a", "b1 c1 b2", "a1 a2", 10, 100},
		{"a", "b1", "a1 a2 c1 b2", 1, 100},
		{"b", "a1 a2", "b1 c1 b2", 10, 5},
		{"b", "a1", "b1 a2 c1 b2", 10, 1},
		{"abc", "", "a1 b1 a2 c1 b2", 10, 100},
	} {
		q := queue{max: 10, maxBytes: 1000}
		for _, tag := range strings.Fields("x a1 b1 a2 c1 b2") {
			q.push(bus.Event{Tag: tag})
		}
		q.pop()
		tags := func(es []bus.Event) string {
			var out []string
			for _, e := range es {
				out = append(out, e.Tag)
			}
			return strings.Join(out, " ")
		}
		out := q.takeBut(func(e bus.Event) bool { return strings.ContainsAny(e.Tag[:1], c.busy) }, room{c.n, c.bytes, 1000})
		if tags(out) != c.out || q.bytes != 2*len(strings.Fields(c.kept)) || tags(q.take(room{10, 100, 1000})) != c.kept {
			t.Errorf("%+v: taken %q, %d bytes left", c, tags(out), q.bytes)
		}
	}
}
