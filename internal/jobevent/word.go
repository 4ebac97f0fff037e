package jobevent

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// Word is a report about a job.
type Word interface {
	// Job returns the jid.
	Job() string
	// Encode returns the tag of the event, and its data in wire encoding.
	Encode() (tag string, data wire.Raw)
}

var _ = []Word{Expectation{}, New{}, Missing{}, Complete{}, Closed{}}

// pack encodes the data of an event.
func pack(d *wire.Map) wire.Raw {
	b, err := wire.Encode(d)
	if err != nil { // no value of a report is larger than the request that it came with
		panic("jobevent: " + err.Error())
	}
	return b
}

// under returns path relative to the master above node.
func under(node, path string) string {
	if path == "" {
		return node
	}
	return node + "/" + path
}

// texts reads a map of strings; it skips keys that are not strings.
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
