package cluster

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// keyTop is the keys of one top. Its log is in log.
type keyTop struct {
	*Keys
	t     *testing.T
	dir   string
	store *keys.Store
	at    time.Time
	log   bytes.Buffer
	sent  []any // records that were pushed
}

func newKeyTop(t *testing.T, node string, accepted map[string]*crypt.KeyPair) *keyTop {
	t.Helper()
	x := &keyTop{t: t, dir: t.TempDir(), at: time.Unix(1_800_000_000, 0)}
	for id, k := range accepted {
		x.write(keys.Accepted, id, k)
	}
	x.open(node)
	t.Cleanup(func() {
		if err := x.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func (x *keyTop) open(node string) {
	x.t.Helper()
	var err error
	if x.store, err = keys.Open(keys.Options{PkiDir: x.dir, Log: slog.New(slog.DiscardHandler), Now: time.Now}); err != nil {
		x.t.Fatal(err)
	}
	x.Keys = OpenKeys(KeysOptions{
		PkiDir: x.dir, Node: node, Store: x.store, Editor: keys.Editor{Store: x.store, Fire: func(string, *wire.Map) {}},
		Own: func(id string) bool { return id == "one" || id == "two" }, Age: func() time.Time { return x.at },
		Log: slog.New(slog.NewTextHandler(&x.log, nil)),
	})
	x.look(x.push)
}

func (x *keyTop) push(list ...any) { x.sent = append(x.sent, list...) }

func (x *keyTop) write(st keys.State, id string, k *crypt.KeyPair) {
	x.t.Helper()
	dir := filepath.Join(x.dir, st.Folder())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, id), []byte(k.PublicPEM), 0o600); err != nil {
		x.t.Fatal(err)
	}
}

// act makes a decision of an operator and passes it to the other top.
func (x *keyTop) act(to *keyTop, id string, do func() error) {
	x.t.Helper()
	x.at = x.at.Add(time.Second)
	if err := do(); err != nil {
		x.t.Fatal(err)
	}
	x.Changed(id)
	x.sent = nil
	x.look(x.push)
	if len(x.sent) != 1 {
		x.t.Errorf("%d records pushed for %s", len(x.sent), id)
	}
	x.give(to, x.sent)
}

func (x *keyTop) give(to *keyTop, list []any) {
	x.t.Helper()
	b, err := wire.Encode(list)
	if err != nil {
		x.t.Fatal(err)
	}
	v, err := wire.Decode(b)
	if err != nil {
		x.t.Fatal(err)
	}
	if err := to.take(x.o.Node, v.([]any)); err != nil {
		x.t.Error(err)
	}
	// The receiver does not send what it has applied.
	to.sent = nil
	for _, v := range list {
		to.Changed(v.([]any)[0].(string))
	}
	if to.look(to.push); len(to.sent) != 0 {
		x.t.Errorf("records echoed: %v", to.sent)
	}
}

func (x *keyTop) is(id, state string) {
	x.t.Helper()
	if r, _ := x.local(id); r.State != state {
		x.t.Errorf("%s: %s is %s, want %s", x.o.Node, id, r.State, state)
	}
}

// What operators decide about keys at one top is so at the other, once and by the latest decision.
func TestKeys(t *testing.T) {
	pairs := map[string]*crypt.KeyPair{"n1": pair, "n2": other, "n3": pair}
	one := newKeyTop(t, "one", map[string]*crypt.KeyPair{"n1": pair, "n3": pair, "two": pair})
	two := newKeyTop(t, "two", map[string]*crypt.KeyPair{"n2": other, "n3": other, "one": pair})
	one.give(two, one.all())
	two.give(one, two.all())
	for _, x := range []*keyTop{one, two} {
		x.is("n1", accepted)
		x.is("n2", accepted)
		if !strings.Contains(x.log.String(), "key differs") {
			t.Errorf("%s does not report the two keys of n3", x.o.Node)
		}
	}
	if sum, err := two.store.Sum("n3"); err != nil || sum != crypt.SumKey(&other.Private.PublicKey) {
		t.Errorf("the key of n3 was replaced: %v", err)
	}
	// An operator decides which one it is.
	one.act(two, "n3", func() error { _, err := one.store.Delete("n3"); return err })
	two.is("n3", deleted)
	if a, b := one.Digest(), two.Digest(); a != b {
		t.Error("the records differ")
	}

	before := two.all()
	one.act(two, "n1", func() error { _, err := one.store.Delete("n1"); return err })
	two.is("n1", deleted)
	two.act(one, "n2", func() error { _, err := two.store.RejectIn(keys.Selection{keys.Accepted: {"n2"}}); return err })
	one.is("n2", rejected)
	two.give(one, before) // stale
	one.is("n1", deleted)
	one.is("n2", rejected)
	one.act(two, "n2", func() error { _, err := one.store.AcceptIn(keys.Selection{keys.Rejected: {"n2"}}); return err })
	two.is("n2", accepted)
	if two.store.Has(keys.Rejected, "n2") {
		t.Error("the rejected key stays")
	}
	one.act(two, "n2", func() error { _, err := admitted.Nodes.Admit(one.dir, "n2"); return err })
	if _, err := admitted.Nodes.Read(two.dir, "n2"); err != nil {
		t.Error(err)
	}
	two.act(one, "n2", func() error { _, err := admitted.Nodes.Withdraw(two.dir, "n2"); return err })
	if _, err := admitted.Nodes.Read(one.dir, "n2"); err == nil {
		t.Error("the admission stays")
	}

	// A decision while the top is down counts at its start; a restart alone decides nothing.
	for _, change := range []bool{false, true} {
		if err := two.store.Close(); err != nil {
			t.Fatal(err)
		}
		if change {
			two.write(keys.Accepted, "n1", pairs["n1"])
		}
		two.at = two.at.Add(time.Minute)
		two.sent = nil
		two.open("two")
		if want := map[bool]int{true: 1}[change]; len(two.sent) != want {
			t.Errorf("changed %v: %d records pushed", change, len(two.sent))
		}
	}
	two.give(one, two.sent)
	one.is("n1", accepted)
	if a, b := one.Digest(), two.Digest(); a != b {
		t.Error("the records differ")
	}
}

// A record with another key than its fingerprint, of a top, or malformed, changes nothing.
func TestKeys_Refused(t *testing.T) {
	x := newKeyTop(t, "one", nil)
	good := record{ID: "n", State: accepted, Key: crypt.Finger(&pair.Private.PublicKey), At: 5, By: "two"}
	for name, v := range map[string]any{
		"another key": good.wire(other.PublicPEM),
		"no key":      good.wire(""),
		"a top":       record{ID: "two", State: accepted, Key: good.Key, At: 5, By: "two"}.wire(pair.PublicPEM),
		"a path":      record{ID: "../n", State: accepted, Key: good.Key, At: 5, By: "two"}.wire(pair.PublicPEM),
		"short":       []any{"n", accepted},
		"a state":     record{ID: "n", State: "pending", Key: good.Key, At: 5, By: "two"}.wire(pair.PublicPEM),
	} {
		err := x.take("two", []any{v})
		if refused := name == "another key" || name == "no key" || name == "a path"; (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := x.store.Len(keys.Accepted); n != 0 || len(x.records) != 0 {
		t.Errorf("%d keys, %d records", n, len(x.records))
	}
	if err := x.take("two", []any{good.wire(pair.PublicPEM)}); err != nil || !x.store.Accepted("n") {
		t.Errorf("the good record: %v", err)
	}
}
