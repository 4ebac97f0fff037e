package jobstore

import "slices"

// Retained lists the jobs to keep at any age. The parts that work on jobs add to it when they are
// opened, before the first clean-up.
type Retained struct{ sources []func() []string }

// Add adds a part's jobs. jobs is called for each list.
func (r *Retained) Add(jobs func() []string) { r.sources = append(r.sources, jobs) }

// Jobs returns the ids, sorted, each once.
func (r *Retained) Jobs() (jids []string) {
	for _, jobs := range r.sources {
		jids = append(jids, jobs()...)
	}
	slices.Sort(jids)
	return slices.Compact(jids)
}
