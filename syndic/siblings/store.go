package siblings

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/durable"
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
	left    sibling.Visits
}

// storeFile is the file's name in cachedir.
const storeFile = "syndic_siblings.p"

// OpenStore reads the store. If the file is damaged it returns an error and a usable store with
// what could be read.
func OpenStore(cachedir string) (*Store, error) {
	g := &Store{path: filepath.Join(cachedir, storeFile), left: sibling.Visits{}}
	d, err := wire.ReadMapFile(g.path)
	if err != nil {
		return g, err
	}
	g.parent, g.voucher, g.left = d.String("parent"), d.Bytes("voucher"), sibling.ReadVisits(d.Map("left"))
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
	return errors.Join(bad, g.save())
}

// save writes the file; g.mu is held.
func (g *Store) save() error {
	out := make([]any, 0, len(g.signed))
	for _, t := range g.signed {
		out = append(out, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("parent", g.parent, "voucher", g.voucher, "lists", out, "left", g.left.Map()))
	if err == nil {
		err = durable.WriteFileLazy(g.path, b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("save the parent's siblings: %w", err)
	}
	return nil
}

// Visit notes that this node is at a sibling of its parent: both may have returns from here when it has
// left them.
func (g *Store) Visit(sibling string, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	home := g.left.Leave(g.parent, now)
	if !g.left.Leave(sibling, now) && !home {
		return nil
	}
	return g.save()
}

// Left returns the masters that this node has left within [sibling.VisitMemory]. A nil Store has none.
func (g *Store) Left(now time.Time) []string {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.left.Recent(now)
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
