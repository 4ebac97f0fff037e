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
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/pace"
)

// vouchEvery is how often a new voucher is asked for, which counts for some hours
// ([sibling.VoucherLife]).
const vouchEvery = time.Hour

// Options of an [Asker].
type Options struct {
	ID string // of this node
	// Local is the local master; nil: none of its minions moves, and nothing is asked.
	Local    Failover
	Lodgings *Lodgings // nil with it
	// Guest tells that the master asked is a sibling of the parent: its siblings are not
	// this node's.
	Guest   bool
	Channel *channel.Channel
	IsUp    func() bool // whether the master can be asked
	Pace    *pace.Pace
	Log     *slog.Logger
}

// Asker asks one master above who the siblings are.
type Asker struct {
	o    Options
	soon chan time.Duration // the siblings are to be asked for, within that time
	// unadmitted: the parent has said that this node is no home for others there.
	unadmitted atomic.Bool
}

// New makes an asker that has heard nothing.
func New(o Options) *Asker { return &Asker{o: o, soon: make(chan time.Duration, 1)} }

// Soon has the parent asked for the siblings, within the given time.
func (a *Asker) Soon(within time.Duration) {
	select {
	case a.soon <- within:
	default: // it is about to be asked anyway
	}
}

// Run tells the parent where this node serves, and hears who its siblings
// are and where the node may go: at each connect, when the parent says that something
// has changed, and every now and then, until ctx ends.
func (a *Asker) Run(ctx context.Context) {
	local := a.o.Local
	if local == nil {
		return
	}
	var told sibling.Node
	var last, vouched time.Time
	below := ""      // stands for the list that was heard last
	gone := graves{} // which keys are gone, as the parent knows and tells
	for {
		select {
		case <-ctx.Done():
			return
		case within := <-a.soon:
			if sleep.For(ctx, rand.N(within+1)) != nil {
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
		keys := local.GoneKeys()
		if me == told && gone.known(keys) && time.Since(last) < a.o.Pace.Siblings {
			continue
		}
		short, stop := context.WithTimeout(ctx, a.o.Pace.Answer)
		want := !a.o.Guest && time.Since(vouched) > vouchEvery
		question := wire.NewMap("port", me.Port, "host", me.Host, "pub", me.Pub, "draining", me.Draining, "voucher", want,
			"have", a.o.Lodgings.sum(), "have_below", below)
		if !a.o.Guest { // whose siblings are others
			gone.ask(question, keys)
		}
		reply, known, err := a.o.Channel.Siblings(short, question)
		stop()
		switch {
		case err != nil:
			a.o.Log.Debug("sibling list not received from parent", "err", err)
			continue
		case !known:
			last, told = time.Now().Add(time.Hour), me // a Python master: it is asked at the next connect
			continue
		}
		last, told = time.Now(), me
		if want {
			vouched = last
		}
		err = a.hear(reply)
		if b := reply.Map("below"); b != nil && err == nil {
			below = sibling.Sum(sibling.Told{Body: b.Bytes("body"), Sig: b.Bytes("sig")})
		}
		if !a.o.Guest {
			err = errors.Join(err, gone.hear(local, reply))
		}
		if err != nil {
			a.o.Log.Warn("parts of the parent's sibling list rejected", "err", err)
		}
	}
}

func (a *Asker) hear(reply *wire.Map) error {
	var errs []error
	// A guest is not among the nodes of the master above, so that its own minions
	// have no siblings there: those stay what their home has told.
	if below := reply.Map("below"); below != nil && !a.o.Guest {
		t := sibling.Told{Body: below.Bytes("body"), Sig: below.Bytes("sig"), Pub: below.String("pub")}
		now, _ := a.o.Channel.Current()
		if sibling.Finger(t.Pub) != sibling.Finger(now.MasterPub) {
			errs = append(errs, fmt.Errorf("list of siblings: %w: it is signed with another key than the master's", sibling.ErrBad))
		} else {
			errs = append(errs, a.o.Local.HearSiblings(t))
		}
	}
	if admitted, told := reply.Get("admitted"); told && admitted == false && !a.o.Guest {
		if a.o.Local.NoSiblings(reply.String("node")) || !a.unadmitted.Swap(true) {
			a.o.Log.Warn("this node is not admitted for failover, its minions get no siblings", "hint", "mom node admit "+a.o.ID+" at the parent, or rehome: False here")
		}
	} else if told := reply.Has("below"); told {
		a.unadmitted.Store(false)
	}
	if !a.o.Guest {
		errs = append(errs, a.o.Lodgings.learn(reply))
	}
	return errors.Join(errs...)
}
