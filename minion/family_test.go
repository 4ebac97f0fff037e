package minion

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// family is a group of masters that are siblings and report that.
type family struct {
	top     []sibling.Node
	masters map[string]*channeltest.Master
	quiet   atomic.Bool // they do not report siblings
	alone   atomic.Bool // they know no siblings
	greeted func(master string, load *wire.Map)
}

func startFamily(t *testing.T, names ...string) *family {
	t.Helper()
	f := &family{masters: map[string]*channeltest.Master{}}
	key := channeltest.Key(t, "sign")
	for _, name := range names {
		m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{
			"_presence": func(_ string, l *wire.Map) any {
				if f.greeted != nil {
					f.greeted(name, l)
				}
				return wire.NewMap("session", true, "node", name)
			},
			sibling.Command: func(_ string, l *wire.Map) any {
				if f.quiet.Load() {
					return wire.NewMap()
				}
				if f.alone.Load() {
					return wire.NewMap("node", name, "lists", []any{}, "voucher", []byte("voucher of "+name))
				}
				signed, err := sibling.List{Parent: "top", Nodes: f.top}.Sign(key.Private, key.PublicPEM)
				if err != nil {
					t.Error(err)
				}
				return wire.NewMap("node", name, "lists", []any{signed.Map()}, "voucher", []byte("voucher of "+name),
					"turn", "the turn at "+name, "transfer", []byte("word of "+name))
			},
		}})
		f.masters[name] = m
		f.top = append(f.top, sibling.Node{ID: name, Host: m.Host(), Port: m.Port(), Pub: m.Key.PublicPEM, Up: true})
	}
	return f
}

func (f *family) minion(t *testing.T, home string) *daemon {
	cfg := testConfig(t, f.masters[home])
	cfg.AuthTimeout = 500 * time.Millisecond
	cfg.RehomeAfter, cfg.RehomeFailback = 50*time.Millisecond, 200*time.Millisecond
	return start(t, cfg)
}

// learned is what the minion has on disk about its masters, in the form of every release.
type learned struct {
	option, node, addr string
	voucher            []byte
	signed             []sibling.Signed
	lists              []sibling.List
}

func homeFile(cachedir string) string { return filepath.Join(cachedir, "home.p") }

// readLearned returns a zero value if the file does not exist.
func readLearned(t *testing.T, cachedir string) (l learned) {
	t.Helper()
	d, err := wire.ReadMapFile(homeFile(cachedir))
	if err != nil || d == nil {
		return l
	}
	l.option, l.node, l.addr, l.voucher = d.String("option"), d.String("node"), d.String("addr"), d.Bytes("voucher")
	if l.signed, l.lists, err = sibling.ReadSigned(d.List("lists")); err != nil {
		t.Error(err)
	}
	return l
}

// write writes the file for a minion that is started afterwards.
func (l learned) write(t *testing.T, cachedir string) {
	t.Helper()
	signed := make([]any, len(l.signed))
	for i, x := range l.signed {
		signed[i] = x.Map()
	}
	b, err := wire.Encode(wire.NewMap("option", l.option, "node", l.node, "addr", l.addr, "voucher", l.voucher, "lists", signed))
	if err == nil {
		err = os.WriteFile(homeFile(cachedir), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// knows waits until the minion has its siblings on disk.
func (f *family) knows(t *testing.T, d *daemon, primary string) {
	t.Helper()
	waiting.Until(t, "the siblings to be known", func() bool {
		l := readLearned(t, d.cfg.Cachedir)
		return l.option == f.masters[primary].Addr() && len(l.lists) == 1 && len(l.voucher) > 0
	})
}

// order returns a job that asks the minion to move, like `mom node drain` and `rebalance`.
func order(to string, forGood bool) *wire.Map {
	j := channeltest.Job(newJID(), "m1", "event.fire")
	j.Set("arg", []any{wire.NewMap("to", to, "settle", forGood), "mom/home/move"})
	return j
}
