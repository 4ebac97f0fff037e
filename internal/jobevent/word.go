package jobevent

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// Word is what is said of a job.
type Word interface {
	// Job is the jid.
	Job() string
	// Encode gives the event: its tag, and its data by the wire rules.
	Encode() (tag string, data wire.Raw)
}

var _ = []Word{Expectation{}, New{}, Missing{}, Complete{}, Closed{}}

// pack encodes the data of a word.
func pack(d *wire.Map) wire.Raw {
	b, err := wire.Encode(d)
	if err != nil { // no value of a word is larger than the request that it came with
		panic("jobevent: " + err.Error())
	}
	return b
}

// under is a path as seen from the master above node.
func under(node, path string) string {
	if path == "" {
		return node
	}
	return node + "/" + path
}

// texts reads a map of texts; keys that are none are passed over.
func texts[V ~string](d *wire.Map) map[string]V {
	out := make(map[string]V, d.Len())
	for _, k := range d.Keys() {
		if key, ok := k.(string); ok {
			out[key] = V(d.String(key))
		}
	}
	return out
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
