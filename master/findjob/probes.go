package findjob

import (
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

// Probes are the find_job questions that the ledger had published. Their
// answers go to the ledger alone: they are no jobs of a user and belong neither
// on the event bus nor in the job cache.
type Probes struct {
	about *lru.Map[string, string] // jid of the probe → jid asked about
	found func(jid, id string, running bool)
}

// maxProbes bounds how many questions are remembered; the oldest are forgotten.
const maxProbes = 4096

// NewProbes tells found whether the job that a minion was asked about runs there.
func NewProbes(found func(jid, id string, running bool)) *Probes {
	return &Probes{about: lru.New[string, string](maxProbes), found: found}
}

// Add notes that a probe asks about a job.
func (p *Probes) Add(probe, about string) { p.about.Add(probe, about) }

// Asked tells whether a jid is that of a probe.
func (p *Probes) Asked(jid string) bool { return p.about.Contains(jid) }

// Answer takes a return if it answers a probe. A running job is told as a
// non-empty map, a job that does not run as an empty one; another value, as of a
// minion that refuses the question, says neither.
func (p *Probes) Answer(jid, id string, value wire.Raw) bool {
	about, ok := p.about.Peek(jid)
	if !ok {
		return false
	}
	if wire.IsMap(value) || wire.IsNil(value) {
		p.found(about, id, !wire.IsEmptyMap(value) && !wire.IsNil(value))
	}
	return true
}
