package origins

import (
	"context"
	"errors"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

type books struct {
	load wire.Raw
	xs   []returners.Expectation
	err  error
}

func (b books) GetLoad(context.Context, string) (returners.Load, bool, error) {
	return returners.Load{Raw: b.load}, b.load != nil, b.err
}

func (b books) GetExpectations(context.Context, string) ([]returners.Expectation, error) {
	return b.xs, nil
}

func TestIsUnrequested(t *testing.T) {
	raw := func(kv ...any) wire.Raw {
		b, err := wire.Encode(wire.NewMap(kv...))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	job, call := raw("jid", "1", "fun", "test.ping"), raw("jid", "1", "fun", "test.ping", "return", true)
	own := returners.Expectation{State: returners.StateAnswered}
	old := returners.Expectation{}
	adopted := returners.Expectation{State: returners.StateAdopted}
	below := returners.Expectation{Node: "n", State: returners.StateAnswered}
	for _, c := range []struct {
		name string
		b    books
		via  string
		want bool
	}{
		{"a minion brought it", books{}, "", true},
		{"a minion brought it and said so", books{xs: []returners.Expectation{adopted}}, "", true},
		{"published here", books{load: job, xs: []returners.Expectation{own, below}}, "n", false},
		{"published here, without a state", books{load: job, xs: []returners.Expectation{old}}, "", false},
		{"a salt-call", books{load: call}, "", false},
		{"a salt-call below", books{load: call}, "n", false},
		{"a node brought it", books{load: job, xs: []returners.Expectation{below}}, "n", true},
		{"a node brought it with a minion", books{load: job, xs: []returners.Expectation{adopted, below}}, "", true},
		{"beside a master of Salt's", books{load: job}, "", false},
	} {
		if got, err := IsUnrequested(t.Context(), c.b, "1", c.via); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	if _, err := IsUnrequested(t.Context(), books{err: errors.New("disk full")}, "1", ""); err == nil {
		t.Error("no error")
	}
}
