package failover

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// knownFile lies in cachedir.
const knownFile = "home.p"

// known is what this minion knows of its primary and of where else it may go. It is on
// disk.
type known struct {
	path string

	mu      sync.Mutex
	option  string // the option master it was learned under
	node    string // id of the primary, "" until it has told
	addr    string // of the primary, if it is another one than the option names
	voucher []byte
	told    []sibling.Told
	lists   []sibling.List
}

// openKnown reads what an earlier run learned under the same option master.
func openKnown(cachedir, option string) (*known, error) {
	k := &known{path: filepath.Join(cachedir, knownFile), option: option}
	d, err := wire.ReadMapFile(k.path)
	if d == nil || err != nil {
		return k, err
	}
	if d.String("option") != option {
		return k, nil // an operator has sent it elsewhere
	}
	k.node, k.addr, k.voucher = d.String("node"), d.String("addr"), d.Bytes("voucher")
	if k.told, k.lists, err = sibling.ReadTold(d.List("lists")); err != nil {
		err = wire.SpoiltFile(k.path, err)
	}
	return k, err
}

// save writes the file; k.mu is held.
func (k *known) save() error {
	told := make([]any, 0, len(k.told))
	for _, t := range k.told {
		told = append(told, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("option", k.option, "node", k.node, "addr", k.addr, "voucher", k.voucher, "lists", told))
	if err != nil {
		return fmt.Errorf("encode the siblings: %w", err)
	}
	return crypt.WriteFile(k.path, b, 0o600)
}

// learn takes the answer of a master; fromPrimary tells that it is the primary.
func (k *known) learn(reply *wire.Map, fromPrimary bool) error {
	told, lists, bad := sibling.ReadTold(reply.List("lists"))
	k.mu.Lock()
	defer k.mu.Unlock()
	if !reply.Bool("same") && len(lists) > 0 {
		k.told, k.lists = told, lists
	}
	if fromPrimary {
		k.node = reply.String("node")
		if v := reply.Bytes("voucher"); len(v) > 0 {
			k.voucher = v
		}
	}
	return errors.Join(bad, k.save())
}

// sum stands for the lists that are known.
func (k *known) sum() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return sibling.Sum(k.told...)
}

// setPrimary makes a node the primary, whatever the option says.
func (k *known) setPrimary(n sibling.Node) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.node, k.addr, k.voucher = n.ID, n.Addr(), nil
	return k.save()
}

// primaryID is the id of the primary, "" until it has told.
func (k *known) primaryID() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.node
}

// primary gives the address of the primary if that is another one than the option names,
// and its node. The address is that of the list which was heard last: nodes move.
func (k *known) primary() (addr string, n sibling.Node, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.lists {
		if n, ok := l.Find(k.node); ok {
			if k.addr == "" {
				return "", n, true
			}
			return n.Addr(), n, true
		}
	}
	return k.addr, sibling.Node{}, false
}

// moved gives the voucher for a master that may not know our key, nil when the primary
// is the master that the option names.
func (k *known) moved() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.addr == "" {
		return nil
	}
	return k.voucher
}

// drains tells whether the primary wants to lose its minions, as far as is known.
func (k *known) drains() bool {
	_, n, known := k.primary()
	return known && n.Draining
}

// others gives the siblings to try, best first, and the voucher to show.
func (k *known) others(id string, without ...string) ([]sibling.Node, []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return sibling.Order(id, k.lists, without...), k.voucher
}

// knowsOthers tells whether there is somewhere to go for id.
func (k *known) knowsOthers(id string) bool {
	order, _ := k.others(id, k.primaryID())
	return len(order) > 0
}

// find gives a sibling by its id.
func (k *known) find(id string) (sibling.Node, []byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.lists {
		if n, ok := l.Find(id); ok {
			return n, k.voucher, true
		}
	}
	return sibling.Node{}, nil, false
}
