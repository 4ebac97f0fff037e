package runners

import (
	"context"
	"errors"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// Banker is an [Env] of a master that stores values for runners; see package bank.
type Banker interface {
	Bank() Bank
}

// Bank stores values by bank and key.
type Bank interface {
	List(bank string) ([]string, error)
	Fetch(bank, key string) (any, bool, error)
	Store(bank, key string, v any) error
	Flush(bank, key string) (bool, error)
}

const bankArgs = `
bank, key
    Names of letters, digits and _ . : @ -; nested banks are separated by /. The banks
    minions/ID have only the keys data and mine, which the master writes: grains and pillar
    of a minion of the tree, and its mine data.
cachedir
    Must be empty: the directory is set in the configuration.
`

func init() {
	Register(
		Function{Name: "cache.list", Args: []string{"bank", "cachedir="}, Run: bankList, Doc: `
The keys of a bank of this master, and the banks within it.
` + bankArgs + `
    salt-run cache.list minions/web-01
    salt-run cache.list mycache
`},
		Function{Name: "cache.fetch", Args: []string{"bank", "key", "cachedir="}, Private: true, Run: bankFetch, Doc: `
A value of a bank of this master; an empty mapping if it does not exist. The value is not
on the event bus.
` + bankArgs + `
    salt-run cache.fetch minions/web-01 data
`},
		Function{Name: "cache.store", Args: []string{"bank", "key", "data", "cachedir="}, Private: true, Run: bankStore, Doc: `
Store a value in a bank of this master: at most 1 MiB each, and 10,000 values in total.
` + bankArgs + `
data
    The value.

    salt-run cache.store mycache mykey 'some text'
`},
		Function{Name: "cache.flush", Args: []string{"bank", "key=", "cachedir="}, Run: bankFlush, Doc: `
Remove a value of a bank of this master, or the whole bank without a key. Returns whether
it existed.
` + bankArgs + `
    salt-run cache.flush mycache mykey
`},
	)
}

// minionsBank is the bank of the data that the master itself caches for minions.
const minionsBank = "minions"

// banker returns the value store of this master.
func banker(c *Call) (Bank, error) {
	if d := c.Text("cachedir"); d != "" {
		return nil, invalid("cachedir=%s: the directory is set in the configuration of the master; leave it out", d)
	}
	b, ok := c.Env.(Banker)
	if !ok {
		return nil, errors.New(c.Fun() + ": this master keeps no banks")
	}
	return b.Bank(), nil
}

// minionOf returns the minion of the bank minions/ID. own reports whether the bank belongs to the
// master itself.
func minionOf(bank string) (id string, own bool) {
	head, id, _ := strings.Cut(bank, "/")
	return id, head == minionsBank
}

// minionData returns grains, pillar and mine of a minion, or the ids of all minions if id is "".
func minionData(ctx context.Context, c *Call, id string) (map[string]*wire.Map, error) {
	k, err := keep(c)
	if err != nil {
		return nil, err
	}
	q := Known{Tgt: []any{id}, TgtType: "list", Grains: true, Pillar: true, Mine: true}
	if id == "" {
		q = Known{Tgt: "*", TgtType: "glob"}
	}
	minions, away, err := k.Known(ctx, q)
	if err != nil || len(minions) > 0 {
		return minions, err
	}
	return nil, notSaid(away)
}

func bankList(ctx context.Context, c *Call) (any, error) {
	b, err := banker(c)
	if err != nil {
		return nil, err
	}
	id, own := minionOf(c.Text("bank"))
	if !own {
		return b.List(c.Text("bank"))
	}
	minions, err := minionData(ctx, c, id)
	if err != nil {
		return nil, err
	}
	out := []string{}
	if id == "" {
		return sortedKeys(minions), nil
	}
	if m := minions[id]; m != nil {
		if m.Has("grains") || m.Has("pillar") {
			out = append(out, "data")
		}
		if m.Has("mine") {
			out = append(out, "mine")
		}
	}
	return out, nil
}

func bankFetch(ctx context.Context, c *Call) (any, error) {
	b, err := banker(c)
	if err != nil {
		return nil, err
	}
	id, own := minionOf(c.Text("bank"))
	if !own {
		v, ok, err := b.Fetch(c.Text("bank"), c.Text("key"))
		if err != nil {
			return nil, err
		}
		if !ok {
			return wire.NewMap(), nil
		}
		return v, nil
	}
	minions, err := minionData(ctx, c, id)
	if err != nil {
		return nil, err
	}
	m := minions[id]
	if id == "" || m == nil {
		return wire.NewMap(), nil
	}
	switch c.Text("key") {
	case "data":
		m = m.Clone()
		m.Delete("mine")
		return m, nil
	case "mine":
		if v, ok := m.Get("mine"); ok {
			return v, nil
		}
	}
	return wire.NewMap(), nil
}

func bankStore(_ context.Context, c *Call) (any, error) {
	b, err := banker(c)
	if err != nil {
		return nil, err
	}
	if _, own := minionOf(c.Text("bank")); own {
		return nil, invalid("the bank %s holds data of minions; only the master writes it", c.Text("bank"))
	}
	v, _ := c.Arg("data")
	return nil, b.Store(c.Text("bank"), c.Text("key"), v)
}

func bankFlush(ctx context.Context, c *Call) (any, error) {
	b, err := banker(c)
	if err != nil {
		return nil, err
	}
	if _, given := c.Given("key"); given && c.Text("key") == "" {
		return nil, invalid("key is empty; leave it out to remove the whole bank")
	}
	id, own := minionOf(c.Text("bank"))
	if !own {
		return b.Flush(c.Text("bank"), c.Text("key"))
	}
	key := c.Text("key")
	if id == "" || key != "" && key != "data" && key != "mine" {
		return nil, invalid("the bank minions is flushed one minion at a time: cache.flush minions/ID")
	}
	k, err := keep(c)
	if err != nil {
		return nil, err
	}
	minions, away, err := k.Known(ctx, Known{
		Tgt: []any{id}, TgtType: "list", Grains: key != "mine", Pillar: key != "mine", Mine: key != "data", Clear: true,
	})
	if err != nil {
		return nil, err
	}
	m := minions[id]
	return m != nil && m.Bool("cleared"), notSaid(away)
}
