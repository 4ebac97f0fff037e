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

// Store keeps the nodes that this node may move to when its only parent is gone. It is on disk,
// since the node may start while the parent is away. It is safe for concurrent use.
type Store struct {
	path string

	mu      sync.Mutex
	parent  string // id of the parent, as its siblings know it
	voucher []byte
	signed  []sibling.Signed
	lists   []sibling.List
}

// storeFile is the file's name in cachedir.
const storeFile = "syndic_siblings.p"

// OpenStore reads the store. If the file is damaged it returns an error and a usable store with
// what could be read.
func OpenStore(cachedir string) (*Store, error) {
	g := &Store{path: filepath.Join(cachedir, storeFile)}
	d, err := wire.ReadMapFile(g.path)
	if err != nil {
		return g, err
	}
	g.parent, g.voucher = d.String("parent"), d.Bytes("voucher")
	if g.signed, g.lists, err = sibling.ReadSigned(d.List("lists")); err != nil {
		err = wire.SpoiltFile(g.path, err)
	}
	return g, err
}

func (g *Store) learn(reply *wire.Map) error {
	signed, lists, bad := sibling.ReadSigned(reply.List("lists"))
	g.mu.Lock()
	defer g.mu.Unlock()
	if reply.Bool("same") {
		signed, lists = g.signed, g.lists
	}
	g.parent, g.signed, g.lists = reply.String("node"), signed, lists
	if v := reply.Bytes("voucher"); len(v) > 0 {
		g.voucher = v
	}
	out := make([]any, 0, len(signed))
	for _, t := range signed {
		out = append(out, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("parent", g.parent, "voucher", g.voucher, "lists", out))
	if err == nil {
		err = crypt.WriteFileLazy(g.path, b, 0o600)
	}
	if err != nil {
		err = fmt.Errorf("save the parent's siblings: %w", err)
	}
	return errors.Join(bad, err)
}

func (g *Store) sum() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return sibling.Sum(g.signed...)
}

// Order returns the nodes that the node with that id may move to, the best first, and the parent's
// voucher to present there.
func (g *Store) Order(id string) ([]sibling.Node, []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return sibling.Order(id, g.lists, g.parent), g.voucher
}
