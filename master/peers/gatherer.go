package peers

import (
	"sort"
	"sync"
	"time"
)

// askDelay is how long questions about one job are collected. Otherwise minions that come back
// together would cost one publication each.
const askDelay = 50 * time.Millisecond

// Gatherer collects minions to ask about each job, and publishes one find_job per job.
type Gatherer struct {
	ask func(jid string, ids []string)

	mu     sync.Mutex
	ids    map[string]map[string]struct{} // by jid
	timer  *time.Timer
	closed bool
	busy   sync.WaitGroup
}

// NewGatherer returns a Gatherer that calls ask for each job, with sorted minions.
func NewGatherer(ask func(jid string, ids []string)) *Gatherer {
	return &Gatherer{ask: ask, ids: map[string]map[string]struct{}{}}
}

// Add schedules a question to minions about a job. It does not block.
func (q *Gatherer) Add(jid string, ids []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if q.ids[jid] == nil {
		q.ids[jid] = map[string]struct{}{}
	}
	for _, id := range ids {
		q.ids[jid][id] = struct{}{}
	}
	if q.timer == nil {
		q.busy.Add(1)
		q.timer = time.AfterFunc(askDelay, q.publish)
	}
}

func (q *Gatherer) publish() {
	defer q.busy.Done()
	q.mu.Lock()
	all := q.ids
	q.ids, q.timer = map[string]map[string]struct{}{}, nil
	q.mu.Unlock()
	for jid, set := range all {
		ids := make([]string, 0, len(set))
		for id := range set {
			ids = append(ids, id)
		}
		sort.Strings(ids)
		q.ask(jid, ids)
	}
}

// Close drops scheduled questions and waits for running calls of ask.
func (q *Gatherer) Close() {
	q.mu.Lock()
	q.closed = true
	if q.timer != nil && q.timer.Stop() {
		q.busy.Done()
	}
	q.mu.Unlock()
	q.busy.Wait()
}
