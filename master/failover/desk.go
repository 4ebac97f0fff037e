package failover

import (
	"crypto/rsa"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
)

// transferLife is how long the word counts that a peer may stay elsewhere for good.
const transferLife = 10 * time.Minute

// Desk answers questions about siblings. Its fields are set before its use.
type Desk struct {
	Homes *Homes
	// Graves know which keys are gone.
	Graves *Graves
	// RoleOf tells what an accepted key is, minion or syndic, "" if that is not known yet.
	RoleOf func(id string) string
	turns  turns
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
	Signing admission.Turns
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
	if err == nil {
		err = k.Graves.Void(v)
	}
	if err != nil {
		k.Log.Warn("A voucher is not believed", "id", id, "err", err)
		return false
	}
	if err := k.Homes.Host(id, v); err != nil {
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
	if err := k.turns.check(id, d); err != nil {
		k.Refused(id, err)
		return nil, err
	}
	reply := wire.NewMap("node", k.ID, "turn", k.turns.of(id))
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
	if err := k.move(id, d, reply); err != nil {
		return nil, err
	}
	if _, away := k.Homes.GuestOf(id); !away && k.Keys && d.Bool("voucher") {
		v, err := k.vouch(id, "", sibling.VoucherLife)
		if err != nil {
			return nil, err
		}
		reply.Set("voucher", v)
	}
	return reply, nil
}

// move serves what changes where a peer belongs.
func (k *Desk) move(id string, d, reply *wire.Map) error {
	home, guest := k.Homes.GuestOf(id)
	to := d.String("transfer")
	switch {
	case d.Bool("stay") && guest:
		if err := k.stay(id, home, d.Bytes("word")); err != nil {
			k.Refused(id, err)
			return err
		}
		k.Log.Info("A peer stays: this node is its home now", "id", id, "former", home)
	case to != "" && !guest && k.Keys && to != k.ID:
		v, err := k.vouch(id, to, transferLife)
		if err != nil {
			return err
		}
		reply.Set("transfer", v)
	case d.String("leaves") != "" && !guest:
		return k.Homes.Away(id, d.String("leaves"), d.Bool("forever"))
	}
	return nil
}

// stay makes a guest one of this node's own if its home says so.
func (k *Desk) stay(id, home string, text []byte) error {
	key, err := k.Accepted.PublicKey(id)
	if err != nil {
		return err
	}
	_, lists := k.Homes.Siblings()
	v, err := sibling.CheckTransfer(text, id, sibling.FingerOf(key), k.ID, lists, k.Now())
	if err == nil && v.Issuer != home {
		err = fmt.Errorf("word of %s that %s may stay: %w: its home is %s", v.Issuer, id, sibling.ErrBad, home)
	}
	if err == nil {
		err = k.Graves.Void(v)
	}
	if err != nil {
		return fmt.Errorf("%s wants to stay, and its home does not say so: %w", id, err)
	}
	return k.Homes.Adopt(id)
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
	if err := k.hearGone(n.ID, d, reply); err != nil {
		return err
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

// hearGone takes which keys are gone at a node right below, and tells it of those at the others.
func (k *Desk) hearGone(id string, d, reply *wire.Map) error {
	if d.Has("gone") {
		gone, bad := sibling.ReadGone(d.List("gone"))
		for i := range gone {
			gone[i].By = id // it speaks for itself alone
		}
		fresh, err := k.Graves.Note(true, gone...)
		if err != nil {
			return err
		}
		if bad != nil {
			k.Refused(id, bad)
		}
		if len(fresh) > 0 {
			k.Log.Info("Keys are gone at a node below; its siblings are told", "node", id, "count", len(fresh), "first", fresh[0].ID)
			k.Below.Ring()
		}
	}
	reply.Set("gone_have", sibling.SumGone(k.Graves.Of(id)))
	if told := k.Graves.Told(id); sibling.SumGone(told) != d.String("have_gone") {
		reply.Set("gone", sibling.GoneMaps(told))
	}
	return nil
}

// vouch makes the word of this node for an accepted key; to: that it may stay there.
func (k *Desk) vouch(id, to string, life time.Duration) ([]byte, error) {
	key, err := k.Accepted.PublicKey(id)
	if err != nil {
		return nil, err
	}
	k.Signing.Take()
	defer k.Signing.Give()
	now := k.Now()
	return sibling.Voucher{
		ID: id, Issuer: k.ID, Finger: sibling.FingerOf(key), Role: k.RoleOf(id), Made: now, Until: now.Add(life), To: to,
	}.Sign(k.Pair.Private)
}

// children is the signed list of the nodes right below.
func (k *Desk) children() (sibling.Told, error) {
	return k.Homes.signedBelow(k.Admitted, k.Up, func(nodes []sibling.Node) (sibling.Told, error) {
		return sibling.List{Parent: k.ID, At: k.Now(), Nodes: nodes}.Sign(k.Pair.Private, k.Pair.PublicPEM)
	})
}
