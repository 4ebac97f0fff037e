package findjob

import (
	"sort"
	"sync"
	"time"
)

// askDelay is how long find_job questions about one job are gathered. Minions
// that come back together would otherwise cost a publication to everybody each.
const askDelay = 50 * time.Millisecond

// Gatherer gathers whom the ledger wants to ask about which job, and publishes
// one find_job per job.
type Gatherer struct {
	ask func(jid string, ids []string)

	mu     sync.Mutex
	ids    map[string]map[string]struct{} // by jid
	timer  *time.Timer
	closed bool
	busy   sync.WaitGroup
}

// NewGatherer lets ask publish the questions about one job, sorted by minion.
func NewGatherer(ask func(jid string, ids []string)) *Gatherer {
	return &Gatherer{ask: ask, ids: map[string]map[string]struct{}{}}
}

// Add asks minions about a job, soon.
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

// Close drops what waits and waits for what is being published.
func (q *Gatherer) Close() {
	q.mu.Lock()
	q.closed = true
	if q.timer != nil && q.timer.Stop() {
		q.busy.Done()
	}
	q.mu.Unlock()
	q.busy.Wait()
}
