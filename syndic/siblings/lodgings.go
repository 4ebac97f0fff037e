package siblings

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// Lodgings is where this node itself may go when its one parent is gone. It is on
// disk, since the node may be started while the parent is away.
type Lodgings struct {
	path string

	mu      sync.Mutex
	parent  string // id of the parent that told, as its siblings know it
	voucher []byte
	told    []sibling.Told
	lists   []sibling.List
}

// lodgingsFile lies in the folder of the node's own cache.
const lodgingsFile = "syndic_siblings.p"

// OpenLodgings reads what a former life of the node was told. With an error there are
// lodgings all the same, which know less.
func OpenLodgings(cachedir string) (*Lodgings, error) {
	g := &Lodgings{path: filepath.Join(cachedir, lodgingsFile)}
	d, err := wire.ReadMapFile(g.path)
	if err != nil {
		return g, err
	}
	g.parent, g.voucher = d.String("parent"), d.Bytes("voucher")
	if g.told, g.lists, err = sibling.ReadTold(d.List("lists")); err != nil {
		err = wire.SpoiltFile(g.path, err)
	}
	return g, err
}

func (g *Lodgings) learn(reply *wire.Map) error {
	told, lists, bad := sibling.ReadTold(reply.List("lists"))
	g.mu.Lock()
	defer g.mu.Unlock()
	if reply.Bool("same") {
		told, lists = g.told, g.lists
	}
	g.parent, g.told, g.lists = reply.String("node"), told, lists
	if v := reply.Bytes("voucher"); len(v) > 0 {
		g.voucher = v
	}
	out := make([]any, 0, len(told))
	for _, t := range told {
		out = append(out, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("parent", g.parent, "voucher", g.voucher, "lists", out))
	if err == nil {
		err = crypt.WriteFileLazy(g.path, b, 0o600)
	}
	if err != nil {
		err = fmt.Errorf("keep the parent's siblings: %w", err)
	}
	return errors.Join(bad, err)
}

func (g *Lodgings) sum() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return sibling.Sum(g.told...)
}

// Order gives where the node with that id may go, the best first, and the voucher of the
// parent that has to be shown there.
func (g *Lodgings) Order(id string) ([]sibling.Node, []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return sibling.Order(id, g.lists, g.parent), g.voucher
}
