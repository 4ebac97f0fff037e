package returners

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
)

// loads is a returner that counts how often the load of each job is stored, and keeps the last.
type loads struct {
	sink
	mu    sync.Mutex // of what follows
	times map[string]int
	last  map[string]int
}

func (l *loads) SaveLoads(_ context.Context, all []Load) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range all {
		l.times[all[i].JID]++
		l.last[all[i].JID] = all[i].Part()
	}
	return nil
}

// The load of a job that grows names all of its minions: a batch of a hundred slices in ten seconds
// stores it about once a second, and its last one.
func TestDrain_LoadsOfAJobThatGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, nets := &queue{}, logs.NewRescues(quiet(), nil)
		to := &loads{times: map[string]int{}, last: map[string]int{}}
		d := NewDrain(q, to, DrainConfig{Log: quiet(), Rescue: nets})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Run(ctx) }()
		seq := int64(0)
		owe := func(jid string, part int) {
			raw, err := wire.Encode(wire.NewMap("tgt", []any{"a"}))
			if err != nil {
				t.Fatal(err)
			}
			l := Load{JID: jid, Raw: raw}
			if part > 0 {
				if err := l.Extend([]string{fmt.Sprint(part)}, part); err != nil {
					t.Fatal(err)
				}
			}
			q.mu.Lock()
			seq++
			q.rows = append(q.rows, Item{Seq: seq, Dest: DestMySQL, Kind: KindLoad, JID: jid, Load: &l})
			q.mu.Unlock()
			d.Wake()
		}
		for part := range 100 {
			owe("grows", part)
			owe(fmt.Sprint("other", part), 0)
			time.Sleep(99 * time.Millisecond)
		}
		synctest.Wait()
		to.mu.Lock()
		if n := to.times["grows"]; n < 9 || n > 12 || len(to.times) != 101 {
			t.Errorf("stored %d times, beside %d other jobs", n, len(to.times)-1)
		}
		to.mu.Unlock()
		time.Sleep(2 * loadEvery)
		synctest.Wait()
		to.mu.Lock()
		defer to.mu.Unlock()
		if to.last["grows"] != 99 || len(q.rows) > 0 {
			t.Errorf("the last one is %d, %d rows wait", to.last["grows"], len(q.rows))
		}
		if n := nets.Counts(); len(n) > 0 {
			t.Errorf("rescued %v", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
