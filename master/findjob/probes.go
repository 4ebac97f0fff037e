package findjob

import (
	"sync"

	"github.com/momtree/mom/internal/wire"
)

// Probes are the find_job questions that the ledger had published. Their
// answers go to the ledger alone: they are no jobs of a user and belong neither
// on the event bus nor in the job cache.
type Probes struct {
	mu    sync.Mutex
	about map[string]string // jid of the probe → jid asked about
	order []string          // the jids of the probes, a ring
	next  int
	found func(jid, id string, running bool)
}

// maxProbes bounds how many questions are remembered; the oldest are forgotten.
const maxProbes = 4096

// NewProbes tells found whether the job that a minion was asked about runs there.
func NewProbes(found func(jid, id string, running bool)) *Probes {
	return &Probes{about: map[string]string{}, found: found}
}

// Add notes that a probe asks about a job.
func (p *Probes) Add(probe, about string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.about[probe] = about
	if len(p.order) < maxProbes {
		p.order = append(p.order, probe)
		return
	}
	delete(p.about, p.order[p.next])
	p.order[p.next] = probe
	p.next = (p.next + 1) % maxProbes
}

// Asked tells whether a jid is that of a probe.
func (p *Probes) Asked(jid string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.about[jid]
	return ok
}

// Answer takes a return if it answers a probe. A running job is told as a
// non-empty map, a job that does not run as an empty one; another value, as of a
// minion that refuses the question, says neither.
func (p *Probes) Answer(jid, id string, value wire.Raw) bool {
	p.mu.Lock()
	about, ok := p.about[jid]
	p.mu.Unlock()
	if !ok {
		return false
	}
	if wire.IsMap(value) || wire.IsNil(value) {
		p.found(about, id, !wire.IsEmptyMap(value) && !wire.IsNil(value))
	}
	return true
}
