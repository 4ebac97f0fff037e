package master

import (
	"sort"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// askDelay is how long find_job questions about one job are gathered. Minions
// that come back together would otherwise cost a publication to everybody each.
const askDelay = 50 * time.Millisecond

// questions gathers whom the ledger wants to ask about which job, and publishes
// one find_job per job.
type questions struct {
	m *Master

	mu     sync.Mutex
	ids    map[string]map[string]struct{} // by jid
	timer  *time.Timer
	closed bool
	busy   sync.WaitGroup
}

func newQuestions(m *Master) *questions {
	return &questions{m: m, ids: map[string]map[string]struct{}{}}
}

// add asks minions about a job, soon.
func (q *questions) add(jid string, ids []string) {
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

func (q *questions) publish() {
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
		q.m.ask(jid, ids)
	}
}

// close drops what waits and waits for what is being published.
func (q *questions) close() {
	q.mu.Lock()
	q.closed = true
	if q.timer != nil && q.timer.Stop() {
		q.busy.Done()
	}
	q.mu.Unlock()
	q.busy.Wait()
}

// ask publishes one find_job to the given minions.
func (m *Master) ask(jid string, ids []string) {
	p := wire.Publication{JID: m.jids.Next(), Ret: "", TgtType: "list", User: m.user(), Extra: wire.NewMap("mom_probe", true)}
	var err error
	if p.Fun, err = wire.Encode("saltutil.find_job"); err == nil {
		if p.Arg, err = wire.Encode([]any{jid}); err == nil {
			p.Tgt, err = wire.Encode(ids)
		}
	}
	if err != nil {
		m.log.Error("A find_job could not be built", "jid", jid, "err", err)
		return
	}
	m.probes.add(p.JID, jid)
	j := &job{tgt: anyList(ids), load: wire.PublishLoad{TgtType: "list"}}
	j.minions = ids
	if err := m.emit(p, j.topics(true)); err != nil {
		m.log.Error("A find_job could not be published", "jid", jid, "err", err)
	}
}

func anyList(ids []string) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		out[i] = id
	}
	return out
}
