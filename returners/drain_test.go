package returners

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/logs"
)

// queue is an outbox in memory.
type queue struct {
	mu   sync.Mutex
	rows []Item
}

func (q *queue) OutboxRead(_ context.Context, dest string, after int64, limit, _ int) (out []Item, _ error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, it := range q.rows {
		if it.Dest == dest && it.Seq > after && len(out) < limit {
			out = append(out, it)
		}
	}
	return out, nil
}

func (q *queue) OutboxAck(_ context.Context, dest string, seqs []int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows = slices.DeleteFunc(q.rows, func(it Item) bool { return it.Dest == dest && slices.Contains(seqs, it.Seq) })
	return nil
}

func (q *queue) OutboxReject(_ context.Context, dest string, seq int64, reason string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.rows {
		if q.rows[i].Dest == dest && q.rows[i].Seq == seq {
			q.rows[i].Dest, q.rows[i].Error = Rejected(dest), reason
		}
	}
	return nil
}

func (q *queue) OutboxDepth(_ context.Context, dest string) (n int64, _ time.Time, _ error) {
	items, err := q.OutboxRead(context.Background(), dest, 0, 1<<30, 0)
	return int64(len(items)), time.Time{}, err
}

func (q *queue) push(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for range n {
		seq := int64(len(q.rows) + 1)
		r := ret(int(seq))
		q.rows = append(q.rows, Item{Seq: seq, Dest: DestMySQL, Kind: KindReturn, JID: r.JID, ID: r.ID, Return: &r})
	}
}

// sink is a returner that stores ids only; SaveReturnsFn may fail.
type sink struct {
	Returner
	SaveReturnsFn func([]Return) error
	PingFn        func() error
	got           []string
}

func (r *sink) SaveReturns(_ context.Context, rets []Return) error {
	if err := r.SaveReturnsFn(rets); err != nil {
		return err
	}
	for i := range rets {
		r.got = append(r.got, rets[i].ID)
	}
	return nil
}

func (r *sink) SaveEvents(context.Context, []Event) error { return nil }

func (r *sink) Ping(context.Context) error { return r.PingFn() }

func TestDrainBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var tried []time.Duration
		q, to, nets := &queue{}, &sink{}, logs.NewRescues(quiet(), nil)
		to.SaveReturnsFn = func([]Return) error {
			tried = append(tried, time.Since(start))
			if time.Since(start) < time.Minute {
				return fmt.Errorf("down: %w", ErrUnavailable)
			}
			return nil
		}
		q.push(1200)
		d := NewDrain(q, to, DrainConfig{BackoffMin: 100 * time.Millisecond, BackoffMax: 8 * time.Second, Log: quiet(), Rescue: nets})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Run(ctx) }()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if len(to.got) != 1200 || len(q.rows) != 0 {
			t.Errorf("%d rows arrived, %d wait", len(to.got), len(q.rows))
		}
		gap := time.Duration(0)
		for i := 1; i < len(tried)-3; i++ {
			if g := tried[i] - tried[i-1]; g > 8*time.Second || g < 50*time.Millisecond {
				t.Errorf("pause %d is %v", i, g)
			} else {
				gap = max(gap, g)
			}
		}
		if gap < 4*time.Second || len(tried) > 40 {
			t.Errorf("longest pause %v, %d attempts: it does not back off", gap, len(tried))
		}
		if s := d.Stats(); s.Down || s.Delivered[KindReturn] != 1200 || s.Batches != 3 || s.Errors["unavailable"] == 0 || s.LastError == "" {
			t.Errorf("stats %+v", s)
		}
		if n := nets.Total(); n != 0 {
			t.Errorf("%d rescues although each row had a Wake", n)
		}
		// Rows without a Wake are delivered too, but counted.
		q.push(1)
		time.Sleep(2 * DefaultDrainIdle)
		synctest.Wait()
		if len(to.got) != 1201 || nets.Counts()["drain poll"] != 1 {
			t.Errorf("%d rows, rescues %v", len(to.got), nets.Counts())
		}
		// An idle drain moves new rows on a Wake.
		q.push(1)
		at := time.Now()
		d.Wake()
		d.Wake()
		synctest.Wait()
		if len(to.got) != 1202 || time.Since(at) != 0 {
			t.Errorf("%d rows after a Wake", len(to.got))
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestDrainSetsAsideOnlyTheRowAtFault(t *testing.T) {
	q, to := &queue{}, &sink{}
	calls := 0
	to.SaveReturnsFn = func(rets []Return) error {
		calls++
		for i := range rets {
			if rets[i].ID == "m17" || rets[i].ID == "m400" {
				return fmt.Errorf("no: %w", ErrRejected)
			}
		}
		return nil
	}
	q.push(500)
	q.rows[99].Return = nil // the row it refers to is gone
	q.rows = append(q.rows, Item{Seq: 1001, Dest: DestMySQL, Kind: KindEvent, Payload: []byte("junk")}, Item{Seq: 1002, Dest: DestMySQL, Kind: "odd"})
	d := NewDrain(q, to, DrainConfig{BatchRows: 1000, Log: quiet()})
	n, err := d.Step(t.Context())
	if n != 502 || err != nil || len(to.got) != 497 {
		t.Errorf("%d rows left the outbox, %d arrived, %v", n, len(to.got), err)
	}
	var aside []int64
	for _, it := range q.rows {
		if it.Dest == Rejected(DestMySQL) && it.Error != "" {
			aside = append(aside, it.Seq)
		}
	}
	if fmt.Sprint(aside) != "[17 100 400 1001 1002]" {
		t.Errorf("set aside: %v", aside)
	}
	if calls > 60 {
		t.Errorf("%d calls to isolate three rows of 500", calls)
	}
	if s := d.Stats(); s.Rejected != 5 || s.Errors["rejected"] != 5 {
		t.Errorf("stats %+v", s)
	}
}

// A failure of unknown kind is retried a few times. Then, if the database answers, the
// drain searches for the bad row.
func TestDrainUnknownFailure(t *testing.T) {
	for _, answers := range []bool{true, false} {
		q, to := &queue{}, &sink{}
		to.PingFn = func() error {
			if answers {
				return nil
			}
			return ErrUnavailable
		}
		to.SaveReturnsFn = func(rets []Return) error {
			if slices.ContainsFunc(rets, func(r Return) bool { return r.ID == "m3" }) {
				return errors.New("odd")
			}
			return nil
		}
		q.push(10)
		d := NewDrain(q, to, DrainConfig{Attempts: 4, Log: quiet()})
		for i := range 4 {
			if n, err := d.Step(t.Context()); n != 0 || err == nil {
				t.Errorf("attempt %d: %d rows, %v", i, n, err)
			}
		}
		n, err := d.Step(t.Context())
		if answers && (n != 10 || err != nil || len(to.got) != 9) || !answers && (n != 0 || err == nil) {
			t.Errorf("database answers %v: %d rows, %v", answers, n, err)
		}
	}
}

// broker is a returner that gets events only; SaveEventsFn may fail.
type broker struct {
	SaveEventsFn func([]Event) error
}

func (*broker) Name() string { return "broker" }

func (b *broker) SaveEvents(_ context.Context, es []Event) error { return b.SaveEventsFn(es) }

func (*broker) Ping(context.Context) error { return nil }

func (*broker) Close() error { return nil }

// Of a batch that is stored in part, stored rows leave the outbox, rejected ones are set aside, and
// the others are sent again, in order.
func TestEventDrain_Partly(t *testing.T) {
	q, dest := &queue{}, DestEventsPrefix+"broker"
	for i := range 5 {
		payload, err := EncodeEvent(Event{Key: fmt.Sprint(i), Tag: "t"})
		if err != nil {
			t.Fatal(err)
		}
		q.rows = append(q.rows, Item{Seq: int64(i + 1), Dest: dest, Kind: KindEvent, Payload: payload})
	}
	q.rows = append(q.rows, Item{Seq: 6, Dest: dest, Kind: KindReturn, Return: &Return{}})
	var got [][]string
	away := true
	d := NewDrain(q, EventSink(&broker{SaveEventsFn: func(es []Event) error {
		var keys []string
		outcome := make([]error, len(es))
		for i, e := range es {
			keys = append(keys, e.Key)
			switch {
			case e.Key == "1":
				outcome[i] = fmt.Errorf("too large: %w", ErrRejected)
			case away && e.Key >= "2" && e.Key <= "3":
				outcome[i] = fmt.Errorf("away: %w", ErrUnavailable)
			}
		}
		got = append(got, keys)
		return RowsResult(outcome)
	}}), DrainConfig{Dest: dest, Log: quiet()})
	n, err := d.Step(t.Context())
	if st := d.Stats(); n != 4 || !errors.Is(err, ErrUnavailable) || st.Delivered[KindEvent] != 2 || st.Rejected != 2 {
		t.Errorf("%d moved, %v, %+v", n, err, st) // the return first: this broker gets events only
	}
	away = false
	if n, err := d.Step(t.Context()); n != 2 || err != nil {
		t.Errorf("%d moved, %v", n, err)
	}
	if want := "[[0 1 2 3 4] [2 3]]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if left, _ := q.OutboxRead(t.Context(), Rejected(dest), 0, 9, 0); len(left) != 2 || !strings.Contains(left[0].Error, "too large") {
		t.Errorf("set aside: %+v", left)
	}
}
