package siblings

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
)

// vouchEvery is the interval at which a new voucher is requested. Vouchers are valid for
// [sibling.VoucherLife].
const vouchEvery = time.Hour

// Options configure an [Asker].
type Options struct {
	ID string // of this node
	// Local is the local master. nil: failover is off, and Run does nothing.
	Local Failover
	Store *Store // nil if Local is nil
	// Sibling means that the master is a sibling of the parent. Its siblings are not this node's.
	Sibling bool
	Channel *channel.Channel
	IsUp    func() bool // whether the master can be asked
	Pace    *link.Pace
	Log     *slog.Logger
}

// Asker requests the list of siblings from one parent.
type Asker struct {
	o    Options
	soon chan time.Duration // request the list within that time
	// unadmitted: the parent has not admitted this node as a home for other nodes' minions.
	unadmitted atomic.Bool
}

// New returns an Asker; Run starts it.
func New(o Options) *Asker { return &Asker{o: o, soon: make(chan time.Duration, 1)} }

// Soon requests the list within that time. It does not block.
func (a *Asker) Soon(within time.Duration) {
	select {
	case a.soon <- within:
	default: // a request is already due
	}
}

// Run reports to the parent where this node serves, and receives the siblings of this node and the
// places it may move to. It does so at each connect, when the parent announces a change, and every
// Pace.Siblings, until ctx ends.
func (a *Asker) Run(ctx context.Context) {
	local := a.o.Local
	if local == nil {
		return
	}
	var sent sibling.Node
	var last, vouched time.Time
	below := ""           // checksum of the last list
	gone := revokedKeys{} // keys revoked here, as known to the parent
	for {
		select {
		case <-ctx.Done():
			return
		case within := <-a.soon:
			if timing.Sleep(ctx, rand.N(within+1)) != nil {
				return
			}
			last = time.Time{}
		case <-time.After(a.o.Pace.Siblings/10 + rand.N(a.o.Pace.Siblings/10+1)):
		}
		if !a.o.IsUp() {
			last = time.Time{}
			continue
		}
		me := local.Home()
		keys := local.RevokedKeys()
		if me == sent && gone.known(keys) && time.Since(last) < a.o.Pace.Siblings {
			continue
		}
		short, stop := context.WithTimeout(ctx, a.o.Pace.Answer)
		want := !a.o.Sibling && time.Since(vouched) > vouchEvery
		question := wire.NewMap("port", me.Port, "host", me.Host, "pub", me.Pub, "draining", me.Draining, "voucher", want,
			"have", a.o.Store.sum(), "have_below", below)
		if !a.o.Sibling { // a sibling of the parent has other siblings
			gone.ask(question, keys)
		}
		reply, known, err := a.o.Channel.Siblings(short, question)
		stop()
		switch {
		case err != nil:
			a.o.Log.Debug("sibling list not received from parent", "err", err)
			continue
		case !known:
			last, sent = time.Now().Add(time.Hour), me // a Python master: asked again at the next connect
			continue
		}
		last, sent = time.Now(), me
		if want {
			vouched = last
		}
		err = a.hear(reply)
		if b := reply.Map("below"); b != nil && err == nil {
			below = sibling.Sum(sibling.Signed{Body: b.Bytes("body"), Sig: b.Bytes("sig")})
		}
		if !a.o.Sibling {
			err = errors.Join(err, gone.receive(local, reply))
		}
		if err != nil {
			a.o.Log.Warn("parts of the parent's sibling list rejected", "err", err)
		}
	}
}

func (a *Asker) hear(reply *wire.Map) error {
	var errs []error
	// A node connected to a sibling of its parent is not among that master's nodes. The siblings of
	// its minions remain those that its parent reported.
	if below := reply.Map("below"); below != nil && !a.o.Sibling {
		t := sibling.Signed{Body: below.Bytes("body"), Sig: below.Bytes("sig"), Pub: below.String("pub")}
		now, _ := a.o.Channel.Current()
		if sibling.Finger(t.Pub) != sibling.Finger(now.MasterPub) {
			errs = append(errs, fmt.Errorf("sibling list: %w: not signed with the parent's key", sibling.ErrBad))
		} else {
			errs = append(errs, a.o.Local.SetSiblings(t))
		}
	}
	if admitted, ok := reply.Get("admitted"); ok && admitted == false && !a.o.Sibling {
		if a.o.Local.ClearSiblings(reply.String("node")) || !a.unadmitted.Swap(true) {
			a.o.Log.Warn("node not admitted as a home for other minions, failover is off", "hint", "run mom node admit "+a.o.ID+" at the parent, or set rehome: False here")
		}
	} else if reply.Has("below") {
		a.unadmitted.Store(false)
	}
	if !a.o.Sibling {
		errs = append(errs, a.o.Store.learn(reply))
	}
	return errors.Join(errs...)
}
