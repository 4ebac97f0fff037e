package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/lab/peers"
)

// world is the daemons of one pairing.
type world struct {
	Pairing
	dir     string
	program string
	salts   map[kind]*peers.Salt
	address func() string
	api     string // address of the REST API at the top

	top, low *peers.Node   // one and the same without tiers
	chain    []*peers.Node // all masters, the top first
	minions  map[kind]*peers.Node
	mark     int // of the bus of the top, before the event
}

// ids of minions by their kinds.
var ids = map[kind]string{mom: "m-ours", salt6: "m-3006", salt7: "m-3007", salt8: "m-3008"}

// ids of the minions of this world, joined as the target of a list.
func (w *world) target() string { return strings.Join(w.all(), ",") }

func (w *world) all() []string {
	var out []string
	for _, k := range w.Minions {
		out = append(out, ids[k])
	}
	return out
}

// masterOptions are those of each master: short time-outs, for what is silent here is a
// fault unless the machine is busy, and what lets minions publish.
const masterOptions = `order_masters: True
timeout: 8
gather_job_timeout: 8
syndic_wait: 2
loop_interval: 5
peer: {'.*': ['.*']}
external_auth: {auto: {ann: ['.*', '@runner', '@wheel']}}
netapi_enable_clients: [local, local_async, runner, wheel]
rest_cherrypy: {host: HOST, port: 8000, disable_ssl: true}`

// grow starts all daemons of the world, accepts their keys and waits until they are there.
func (w *world) grow(ctx context.Context) (err error) {
	w.api = w.address()
	options := strings.Split(strings.ReplaceAll(masterOptions, "HOST", w.api), "\n")
	for i, k := range w.Masters {
		if err := w.tier(ctx, w.idOf(i), k, options); err != nil {
			return err
		}
	}
	w.minions = map[kind]*peers.Node{}
	for _, k := range w.Minions {
		n, err := peers.NewNode(w.program, w.dir, ids[k], w.salts[k])
		if err != nil {
			return err
		}
		w.minions[k], n.Kinds = n, []string{"minion"}
		if err := errors.Join(n.MinionConf(w.low.Addr), n.Start(ctx)); err != nil {
			return err
		}
	}
	if err := w.low.Accept(ctx, w.all()...); err != nil {
		return err
	}
	return w.low.Joined(ctx, 0, "minion", w.all()...)
}

// idOf is the id of the master of a tier: top, mid, low.
func (w *world) idOf(tier int) string {
	switch {
	case tier == 0:
		return "top"
	case tier == len(w.Masters)-1:
		return "low"
	}
	return "mid"
}

// tier starts the master of the next tier, with files and pillar, and waits until the one above
// it, if any, knows it.
func (w *world) tier(ctx context.Context, id string, k kind, options []string) error {
	master, forwarder := k.forwarder()
	if !forwarder {
		master = k
	}
	n, err := peers.NewNode(w.program, w.dir, id, w.salts[master])
	if err != nil {
		return err
	}
	above := w.low
	n.Kinds = []string{"master"}
	if above != nil {
		options = append(slices.Clip(options), "syndic_master: "+above.Addr)
		switch {
		case forwarder:
			n.Kinds = append(n.Kinds, peers.Standalone)
		case k == mom:
			n.Kinds = []string{"syndic"}
			options = append(options, "fileserver_backend: [roots, upstream]")
		default:
			n.Kinds = append(n.Kinds, "syndic")
		}
		if err := n.MinionConf(above.Addr); err != nil {
			return err
		}
	}
	if err := errors.Join(furnish(n.Dir, id, filepath.Join(w.dir, "out")), n.MasterConf(w.address(), options...)); err != nil {
		return err
	}
	if w.chain, w.low = append(w.chain, n), n; above == nil {
		w.top = n
	}
	if err := n.Start(ctx); err != nil || above == nil {
		return err
	}
	return errors.Join(above.Accept(ctx, id), above.Joined(ctx, 0, "syndic", id))
}

// nodes are all daemons, the leaves first.
func (w *world) nodes() (out []*peers.Node) {
	for _, n := range w.minions {
		out = append(out, n)
	}
	for _, n := range slices.Backward(w.chain) {
		out = append(out, n)
	}
	return out
}

// end stops everything.
func (w *world) end() {
	var wg sync.WaitGroup
	for _, n := range w.nodes() {
		wg.Go(func() { _ = n.Stop(3 * time.Second) }) // a Python daemon may well need the SIGKILL
	}
	wg.Wait()
	for _, n := range w.nodes() {
		if n.Events != nil {
			n.Events.Close()
		}
	}
}

// tails writes the ends of all logs to a file.
func (w *world) tails(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, n := range w.nodes() {
		for log, lines := range n.Tails(60) {
			fmt.Fprintf(f, "== %s\n%s\n", log, lines)
		}
	}
	return f.Close()
}
