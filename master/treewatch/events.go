package treewatch

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// The events of the tree. Each is fired by the lowest node that sees it, and
// passed on upward like any other; its path grows on the way.
const (
	NodeUp       = "topology/node/up"
	NodeDown     = "topology/node/down"
	NodeRehomed  = "topology/node/rehomed"
	NodeDegraded = "topology/node/degraded"
)

// Event is the data of an event about a node: its id, the path to it, and what
// else there is to say, key by key.
func Event(now time.Time, id, path string, more ...any) *wire.Map {
	d := wire.NewMap("id", id, "path", path, "time", now.UTC().Format(time.RFC3339Nano))
	for i := 0; i+1 < len(more); i += 2 {
		d.Set(more[i], more[i+1])
	}
	return d
}

// FromBelow gives an event of the tree as seen from here: its paths begin
// with the node that passes it on.
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
