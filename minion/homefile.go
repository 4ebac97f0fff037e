package minion

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// homeFile lies in cachedir.
const homeFile = "home.p"

// home is what this minion knows of where it belongs and where it may go. It is on
// disk, since the minion may be started anew while its master is gone.
type home struct {
	path string

	mu      sync.Mutex
	option  string // the option master it was learned under
	node    string // id of the home, "" until it has told
	addr    string // of the home, if it is another one than the option names
	voucher []byte
	told    []sibling.Told
	lists   []sibling.List
}

// openHome reads what an earlier run learned under the same option master.
func openHome(cachedir, option string) (*home, error) {
	h := &home{path: filepath.Join(cachedir, homeFile), option: option}
	d, err := wire.ReadMapFile(h.path)
	if d == nil || err != nil {
		return h, err
	}
	if d.String("option") != option {
		return h, nil // an operator has sent it elsewhere
	}
	h.node, h.addr, h.voucher = d.String("node"), d.String("addr"), d.Bytes("voucher")
	if h.told, h.lists, err = sibling.ReadTold(d.List("lists")); err != nil {
		err = wire.SpoiltFile(h.path, err)
	}
	return h, err
}

// save writes the file; h.mu is held.
func (h *home) save() error {
	told := make([]any, 0, len(h.told))
	for _, t := range h.told {
		told = append(told, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("option", h.option, "node", h.node, "addr", h.addr, "voucher", h.voucher, "lists", told))
	if err != nil {
		return fmt.Errorf("encode the siblings: %w", err)
	}
	return crypt.WriteFile(h.path, b, 0o600)
}

// learn takes the answer of a master; atHome tells that it is the home.
func (h *home) learn(reply *wire.Map, atHome bool) error {
	told, lists, bad := sibling.ReadTold(reply.List("lists"))
	h.mu.Lock()
	defer h.mu.Unlock()
	if !reply.Bool("same") && len(lists) > 0 {
		h.told, h.lists = told, lists
	}
	if atHome {
		h.node = reply.String("node")
		if v := reply.Bytes("voucher"); len(v) > 0 {
			h.voucher = v
		}
	}
	return errors.Join(bad, h.save())
}

// sum stands for the lists that are known.
func (h *home) sum() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return sibling.Sum(h.told...)
}

// settle makes a node the home, whatever the option says.
func (h *home) settle(n sibling.Node) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.node, h.addr, h.voucher = n.ID, n.Addr(), nil
	return h.save()
}

// at gives the address of the home if that is another one than the option names, and its
// node. The address is that of the list which was heard last: nodes move.
func (h *home) at() (addr string, n sibling.Node, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lists {
		if n, ok := l.Find(h.node); ok {
			if h.addr == "" {
				return "", n, true
			}
			return n.Addr(), n, true
		}
	}
	return h.addr, sibling.Node{}, false
}

// show gives the voucher for a master that may not know our key, nil when this minion is
// at home where the option says.
func (h *home) show() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.addr == "" {
		return nil
	}
	return h.voucher
}

// drains tells whether the home wants to lose its minions, as far as is known.
func (h *home) drains() bool {
	_, n, known := h.at()
	return known && n.Draining
}

// others gives the siblings to try, best first, and the voucher to show.
func (h *home) others(id string, without ...string) ([]sibling.Node, []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return sibling.Order(id, h.lists, without...), h.voucher
}

// knowsOthers tells whether there is somewhere to go for id.
func (h *home) knowsOthers(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(sibling.Order(id, h.lists, h.node)) > 0
}

// find gives a sibling by its id.
func (h *home) find(id string) (sibling.Node, []byte, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lists {
		if n, ok := l.Find(id); ok {
			return n, h.voucher, true
		}
	}
	return sibling.Node{}, nil, false
}
