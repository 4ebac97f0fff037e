package api

import (
	"maps"
	"slices"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// result is the outcome of one chunk.
type result struct {
	// values go into "return": one, but one for each minion of a batch.
	values []any
	jids   []string // of what was started
	// missing are the minions that have not answered, by id.
	missing map[string]client.Missing
	err     error
	// shown is the value of a call that failed; nil: none.
	shown any
}

// missingEntries returns the entries of a chunk in "missing".
func (r result) missingEntries(chunk int) []any {
	var out []any
	for _, id := range slices.Sorted(maps.Keys(r.missing)) {
		m := r.missing[id]
		out = append(out, value.NewMap("chunk", chunk, "id", id, "reason", m.Reason, "path", m.Path))
	}
	return out
}
