package homes

import (
	"crypto/rsa"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/door"
)

// voucherLife is how long a voucher counts; it is renewed with each question.
const voucherLife = 48 * time.Hour

// Desk answers questions about siblings. Its fields are set before its use.
type Desk struct {
	Homes *Homes
	// ID is this node's, and Pair signs what it says.
	ID   string
	Pair *crypt.KeyPair
	// Accepted gives the accepted keys.
	Accepted interface {
		PublicKey(id string) (*rsa.PublicKey, error)
	}
	// Up tells whether a peer is connected here.
	Up func(id string) bool
	// Admitted tells whether an operator has made a node a home for others. Only such
	// nodes are told to their siblings, whatever they say of themselves.
	Admitted func(id string) bool
	// Refused is told of what a peer claims and may not have.
	Refused func(id string, err error)
	// On and Keys are the options rehome and rehome_keys.
	On, Keys bool
	// Signing bounds who uses the private key.
	Signing door.Turns
	// Above and Below have peers told that they should ask again: all, for the lists
	// of masters above have changed; the nodes right below, for what they are told of
	// each other has. nil: nobody is told.
	Above, Below *Herald
	Log          *slog.Logger
	Now          func() time.Time
}

// Vouched tells whether a sibling speaks for a key that is not accepted here.
func (k *Desk) Vouched(id, pub string, voucher []byte) bool {
	if len(voucher) == 0 || !k.On || !k.Keys {
		return false
	}
	_, lists := k.Homes.Siblings()
	v, err := sibling.Check(voucher, id, pub, k.ID, lists, k.Now())
	if err != nil {
		k.Log.Warn("A voucher is not believed", "id", id, "err", err)
		return false
	}
	if err := k.Homes.Host(id, v.Issuer, false); err != nil {
		k.Log.Error("A guest is not accepted", "id", id, "err", err)
		return false
	}
	k.Log.Info("A peer is accepted as a guest: a sibling vouches for its key", "id", id, "home", v.Issuer)
	return true
}

// Hear takes the signed list of a master above.
func (k *Desk) Hear(told sibling.Told) error {
	l, err := told.Open()
	if err != nil {
		return err
	}
	for _, err := range l.Left {
		k.Log.Warn("A sibling is left out", "parent", l.Parent, "err", err)
	}
	if _, here := l.Find(k.ID); !here {
		return fmt.Errorf("list of siblings of %s: %w: this node is not in it", l.Parent, sibling.ErrBad)
	}
	if k.Homes.Hear(told, l) {
		k.Above.Ring()
	}
	return nil
}

// Unhear drops the list of a master above, for which this node is no home for others any
// more, and tells whether there was one.
func (k *Desk) Unhear(parent string) (changed bool) {
	if changed = k.Homes.unhear(parent); changed {
		k.Above.Ring()
	}
	return changed
}

// Answer answers a minion or node that asks from an address where it may go when
// this node is gone.
func (k *Desk) Answer(id, addr string, d *wire.Map) (*wire.Map, error) {
	above, _ := k.Homes.Siblings()
	reply := wire.NewMap("node", k.ID)
	if have := d.String("have"); have != "" && have == sibling.Sum(above...) {
		reply.Set("same", true)
	} else {
		told := make([]any, 0, len(above))
		for _, t := range above {
			told = append(told, t.Map())
		}
		reply.Set("lists", told)
	}
	if d.String("role") == "syndic" {
		n := sibling.Node{
			ID: id, Host: d.String("host"), Port: int(d.Int("port")), Pub: d.String("pub"), Draining: d.Bool("draining"),
		}
		if n.Host == "" {
			n.Host = addr
		}
		if _, guest := k.Homes.GuestOf(id); !guest { // which is not in the list, and its minions have the siblings that its home tells
			if err := k.enter(n, d, reply); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case d.Bool("stay"):
		if err := k.Homes.Adopt(id); err != nil {
			return nil, err
		}
		k.Log.Info("A peer stays: this node is its home now", "id", id)
	case d.String("leaves") != "":
		if err := k.Homes.Host(id, d.String("leaves"), !d.Bool("forever")); err != nil {
			return nil, err
		}
	}
	if _, away := k.Homes.GuestOf(id); !away && k.Keys && d.Bool("voucher") {
		v, err := k.vouch(id)
		if err != nil {
			return nil, err
		}
		reply.Set("voucher", v)
	}
	return reply, nil
}

// enter takes what a node right below says of itself, if an operator has made it a home for
// others, and tells it of the others.
func (k *Desk) enter(n sibling.Node, d, reply *wire.Map) error {
	if !k.Admitted(n.ID) {
		reply.Set("admitted", false)
		return nil
	}
	if err := n.Check(); err != nil {
		k.Refused(n.ID, fmt.Errorf("its address as a home for others: %w", err))
	} else if k.Homes.Enter(n) {
		k.Below.Ring()
	}
	own, err := k.children()
	if err != nil {
		return err
	}
	if d.String("have_below") != sibling.Sum(own) {
		reply.Set("below", own.Map())
	}
	return nil
}

func (k *Desk) vouch(id string) ([]byte, error) {
	key, err := k.Accepted.PublicKey(id)
	if err != nil {
		return nil, err
	}
	k.Signing.Take()
	defer k.Signing.Give()
	return sibling.Voucher{ID: id, Issuer: k.ID, Finger: sibling.FingerOf(key), Until: k.Now().Add(voucherLife)}.Sign(k.Pair.Private)
}

// children is the signed list of the nodes right below.
func (k *Desk) children() (sibling.Told, error) {
	return k.Homes.signedBelow(k.Admitted, k.Up, func(nodes []sibling.Node) (sibling.Told, error) {
		return sibling.List{Parent: k.ID, At: k.Now(), Nodes: nodes}.Sign(k.Pair.Private, k.Pair.PublicPEM)
	})
}
