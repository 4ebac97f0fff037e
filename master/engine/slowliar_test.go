package engine

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Half of 10,000 stock minions delay each answer to find_job by three seconds, so that the master
// asks as few as it may at a time. Two are dead, the last by name among them. The liars cannot
// make an answering minion missing, nor delay the report of a dead one by more than three minutes.
func TestFindJobWithLiarsThatAnswerLate(t *testing.T) { synctest.Test(t, testLateLiars) }

func testLateLiars(t *testing.T) {
	const n, every = 10_000, 2
	const honest, late = 50 * time.Millisecond, 3 * time.Second
	began := time.Now()
	type answer struct {
		id string
		at time.Time
	}
	var mu sync.Mutex
	asked := map[string]int{}
	named := map[string]time.Duration{}
	answers := map[time.Duration][]answer{} // in flight, by delay
	most := 0                               // largest round, once the liars have answered
	ms := minions(n)
	liar, dead := map[string]bool{}, map[string]bool{ms[4711].ID: true, ms[n-1].ID: true}
	for i := range ms {
		ms[i].Live = Untracked
		liar[ms[i].ID] = i%every == 0
	}
	l := newLedger(AccountConfig{Hooks: Hooks{
		FindJob: func(_ string, ids []string) {
			mu.Lock()
			defer mu.Unlock()
			for _, id := range ids {
				asked[id]++
				takes := honest
				if liar[id] {
					takes = late
				}
				if !dead[id] {
					answers[takes] = append(answers[takes], answer{id, time.Now().Add(takes)})
				}
			}
			if time.Since(began) > 30*time.Second {
				most = max(most, len(ids))
			}
		},
		Missing: func(_ string, gone map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
			mu.Lock()
			defer mu.Unlock()
			for id := range gone {
				named[id] = time.Since(began)
			}
		},
	}})
	defer l.close()
	if err := l.openJob(Job{JID: "j", Timeout: 5 * time.Second, Minions: ms}); err != nil {
		t.Fatal(err)
	}
	due := func() (ids []string) {
		mu.Lock()
		defer mu.Unlock()
		for takes, queue := range answers {
			for len(queue) > 0 && !queue[0].at.After(time.Now()) {
				ids, queue = append(ids, queue[0].id), queue[1:]
			}
			answers[takes] = queue
		}
		return ids
	}
	for time.Since(began) < 4*time.Minute { // the last is named within three
		time.Sleep(honest / 5)
		synctest.Wait()
		for _, id := range due() {
			l.found("j", id, true)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if most == 0 || most > 500 { // 1,000 is the maximum window
		t.Errorf("up to %d are asked at a time: this test has not met the liars", most)
	}
	if len(asked) != n {
		t.Errorf("%d of %d have been asked", len(asked), n)
	}
	for id, at := range named {
		if !dead[id] {
			t.Errorf("%s is named after %v, and answers (liar: %v)", id, at, liar[id])
		}
	}
	for id := range dead {
		if at := named[id]; at == 0 || at > 3*time.Minute {
			t.Errorf("%s, which is dead, is named after %v", id, at)
		}
	}
}
