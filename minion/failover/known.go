package failover

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

// knownFile lies in cachedir.
const knownFile = "home.p"

// known is what this minion knows about its primary and the siblings. It is stored on disk.
type known struct {
	path string

	mu      sync.Mutex
	option  string // the option master under which it was learned
	node    string // id of the primary, "" until the primary has reported it
	addr    string // of the primary, if it differs from the option
	voucher []byte
	signed  []sibling.Signed
	lists   []sibling.List
	left    sibling.Visits
}

// openKnown reads what an earlier run learned under the same option master.
func openKnown(cachedir, option string) (*known, error) {
	k := &known{path: filepath.Join(cachedir, knownFile), option: option, left: sibling.Visits{}}
	d, err := wire.ReadMapFile(k.path)
	if d == nil || err != nil {
		return k, err
	}
	if d.String("option") != option {
		return k, nil // an operator has changed the option
	}
	k.node, k.addr, k.voucher, k.left = d.String("node"), d.String("addr"), d.Bytes("voucher"), sibling.ReadVisits(d.Map("left"))
	if k.signed, k.lists, err = sibling.ReadSigned(d.List("lists")); err != nil {
		err = wire.SpoiltFile(k.path, err)
	}
	return k, err
}

// save writes the file; k.mu is held.
func (k *known) save() error {
	signed := make([]any, 0, len(k.signed))
	for _, t := range k.signed {
		signed = append(signed, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("option", k.option, "node", k.node, "addr", k.addr, "voucher", k.voucher, "lists", signed, "left", k.left.Map()))
	if err != nil {
		return fmt.Errorf("encode the siblings: %w", err)
	}
	return durable.WriteFile(k.path, b, 0o600)
}

// learn stores the answer of a master; fromPrimary reports that it is the primary.
func (k *known) learn(reply *wire.Map, fromPrimary bool) error {
	signed, lists, bad := sibling.ReadSigned(reply.List("lists"))
	k.mu.Lock()
	defer k.mu.Unlock()
	if !reply.Bool("same") && len(lists) > 0 {
		k.signed, k.lists = signed, lists
	}
	if fromPrimary {
		k.node = reply.String("node")
		if v := reply.Bytes("voucher"); len(v) > 0 {
			k.voucher = v
		}
	}
	return errors.Join(bad, k.save())
}

// leave notes that the minion leaves the master id.
func (k *known) leave(id string, now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.left.Leave(id, now) {
		return nil
	}
	return k.save()
}

// announcement returns what the minion adds to its announcements: that it comes back to its primary, and
// the masters that it has left.
func (k *known) announcement(back bool, now time.Time) *wire.Map {
	k.mu.Lock()
	defer k.mu.Unlock()
	more := wire.NewMap()
	if back {
		more.Set("back", true)
	}
	if left := k.left.Recent(now); len(left) > 0 {
		more.Set(sibling.AnnouncedVisits, left)
	}
	return more
}

// sum returns the checksum of the known lists.
func (k *known) sum() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return sibling.Sum(k.signed...)
}

// setPrimary makes a node the primary, regardless of the option.
func (k *known) setPrimary(n sibling.Node) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.node, k.addr, k.voucher = n.ID, n.Addr(), nil
	return k.save()
}

// primaryID returns the id of the primary, "" until the primary has reported it.
func (k *known) primaryID() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.node
}

// primary returns the primary's node, and its address if that differs from the option. The
// address is from the latest list, because nodes move.
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

// moved returns the voucher for a master that may not know our key, nil if the primary is the
// master of the option.
func (k *known) moved() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.addr == "" {
		return nil
	}
	return k.voucher
}

// drains reports whether the primary is known to be draining.
func (k *known) drains() bool {
	_, n, known := k.primary()
	return known && n.Draining
}

// others returns the siblings to try, best first, and the voucher to send.
func (k *known) others(id string, without ...string) ([]sibling.Node, []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return sibling.Order(id, k.lists, without...), k.voucher
}

// knowsOthers reports whether there is a sibling to which id can move.
func (k *known) knowsOthers(id string) bool {
	order, _ := k.others(id, k.primaryID())
	return len(order) > 0
}

// find returns a sibling by its id, and the voucher to send.
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
