package runners

import (
	"context"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
)

// oracle is an Env that implements [Explainer].
type oracle struct {
	Env
	asked access.Question
	tgt   any
}

func (o *oracle) ExplainAccess(q access.Question, tgt any, _ string) (verdict.Verdict, error) {
	o.asked, o.tgt = q, tgt
	return verdict.Verdict{Allowed: true}, nil
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		kwargs *wire.Map
		fault  string
	}{
		{wire.NewMap("tgt", "*", "args", []any{"a"}, "kwargs", wire.NewMap("k", "v"), "groups", []any{"ops"}), ""},
		{wire.NewMap("kind", "runner", "groups", []any{"ops"}), ""},
		{wire.NewMap(), "needs a target"},
		{wire.NewMap("tgt", "*", "kind", "x"), "not one of minions, runner, wheel"},
		{wire.NewMap("tgt", "*", "args", "a"), "args=a is not a list"},
		{wire.NewMap("tgt", "*", "groups", "a"), "groups=a is not a list"},
		{wire.NewMap("tgt", "*", "kwargs", "a"), "kwargs=a is not a mapping"},
	} {
		var o oracle
		v, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "acl.explain", Args: []any{"fred", "cmd.run"}, Kwargs: c.kwargs}), Env: &o})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%#v: %v", c.kwargs, err)
			}
			continue
		}
		m, ok := v.(*wire.Map)
		if err != nil || !ok || !m.Bool("allowed") || o.asked.User != "fred" || o.asked.Request.Fun != "cmd.run" || o.asked.Groups[0] != "ops" {
			t.Errorf("%#v: %v %v, asked %+v", c.kwargs, v, err, o.asked)
		}
		if o.tgt != nil && (len(o.asked.Request.Args) != 1 || o.asked.Request.Kwargs.String("k") != "v") {
			t.Errorf("asked %+v", o.asked)
		}
	}
	if _, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "acl.explain", Args: []any{"a", "b", "*"}}), Env: shape{}}); err == nil {
		t.Error("a master without rules explains")
	}
}
