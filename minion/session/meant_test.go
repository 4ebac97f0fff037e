package session

import (
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
)

// A job that was narrowed to a list is for the minions that are in the list and match the
// target. If a node lists minions that the signed target does not match, it does not run there.
func TestMeant(t *testing.T) {
	c := config.DefaultMinion()
	c.ID = "web1"
	s := &Session{all: New(Config{Options: c})}
	for _, x := range []struct {
		tgt  string
		list []string // nil: the target alone
		want bool
	}{
		{"web*", nil, true},
		{"db*", nil, false},
		{"web*", []string{"web1", "web2"}, true},
		{"web*", []string{"web2"}, false},
		{"web*", []string{}, false},
		{"db*", []string{"web1"}, false},
	} {
		b, err := wire.Encode(wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", x.tgt, "tgt_type", "glob", "jid", "20240102030405678901"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := wire.ParsePublication(b)
		if err == nil && x.list != nil {
			p, err = jobfields.Narrow(p, jobfields.TargetList{IDs: x.list})
		}
		if err == nil {
			b, err = p.Encode()
		}
		if err == nil {
			p, err = wire.ParsePublication(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Meant(p); got != x.want || err != nil {
			t.Errorf("%s, listed %q: %v, %v", x.tgt, x.list, got, err)
		}
	}
}
