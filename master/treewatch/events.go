package treewatch

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Events of the tree. The lowest node that sees a change fires the event; on the way up its path
// grows.
const (
	NodeUp       = "topology/node/up"
	NodeDown     = "topology/node/down"
	NodeRehomed  = "topology/node/rehomed"
	NodeDegraded = "topology/node/degraded"
)

// Event returns the data of an event about a node: id, path, time, and the key-value pairs in more.
func Event(now time.Time, id, path string, more ...any) *wire.Map {
	d := wire.NewMap("id", id, "path", path, "time", now.UTC().Format(time.RFC3339Nano))
	for i := 0; i+1 < len(more); i += 2 {
		d.Set(more[i], more[i+1])
	}
	return d
}

// FromBelow prepends the node that forwards an event to the paths in its data. It returns data
// unchanged if it cannot be decoded.
func FromBelow(node string, data wire.Raw) wire.Raw {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return data
	}
	for _, key := range []string{"path", "from", "to"} {
		if p, ok := d.Get(key); ok {
			if text, ok := p.(string); ok {
				if text != "" {
					text = "/" + text
				}
				d.Set(key, node+text)
			}
		}
	}
	b, err := wire.Encode(d)
	if err != nil {
		return data
	}
	return b
}
