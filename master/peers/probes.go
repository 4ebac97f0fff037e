package peers

import (
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

// Probes holds the jids of published find_job questions. Their answers go to the engine only, not to
// the event bus or the job cache.
type Probes struct {
	about *lru.Map[string, string] // jid of the probe → jid asked about
	found func(jid, id string, running bool)
}

// maxProbes bounds the recorded questions; the oldest are dropped.
const maxProbes = 4096

// NewProbes returns Probes that call found with each answer.
func NewProbes(found func(jid, id string, running bool)) *Probes {
	return &Probes{about: lru.New[string, string](maxProbes), found: found}
}

// Add records that a probe asks about a job.
func (p *Probes) Add(probe, about string) { p.about.Add(probe, about) }

// Asked reports whether a jid is that of a probe.
func (p *Probes) Asked(jid string) bool { return p.about.Contains(jid) }

// Answer handles a return that answers a probe, and reports whether it is one. A non-empty map means
// that the job is running, an empty one that it is not. Other values, as from a minion that
// rejects the question, mean neither.
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
