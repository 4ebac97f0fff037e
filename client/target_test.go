package client

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func grouped(o *Options) {
	o.Nodegroups = map[string]any{"pair": "L@web-1,web-2", "webs": "web-*", "odd": []any{"N@webs and not web-2"}}
	o.ConfFile = "/etc/salt/master"
}

func TestNodegroup(t *testing.T) {
	m := startMaster(t)
	c := m.client(grouped)
	j := Job{Tgt: "pair", TgtType: "nodegroup", Fun: []string{"test.ping"}}
	if _, err := c.Publish(within(t), j); err != nil {
		t.Fatal(err)
	}
	if got := m.seen()[0]; got.String("tgt_type") != "compound" || !slices.Equal(got.Strings("tgt"), []string{"L@web-1,web-2"}) {
		t.Errorf("sent %#v", got)
	}
	// Without the configuration the name is left to the master.
	if _, err := m.client().Publish(within(t), j); err != nil {
		t.Fatal(err)
	}
	if got := m.seen()[1]; got.String("tgt_type") != "nodegroup" || got.String("tgt") != "pair" {
		t.Errorf("sent %#v", got)
	}
	var bad *TargetError
	j.Tgt = "none"
	for name, err := range map[string]error{
		"publish": second(c.Publish(within(t), j)), "follow": second(c.Follow(within(t), j)), "preview": second(c.Preview(within(t), j)),
	} {
		if !errors.As(err, &bad) || err.Error() != "Node group none unavailable in /etc/salt/master" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(m.seen()) != 2 {
		t.Error("it was sent")
	}
	// An error inside an existing group is not reported as an unavailable group.
	_, err := c.Publish(within(t), Job{Tgt: "odd", TgtType: "nodegroup", Fun: []string{"test.ping"}})
	if err == nil || errors.Is(err, ErrNoGroup) || !strings.Contains(err.Error(), `unknown node group "webs and not web-2"`) || !strings.Contains(err.Error(), "a separate item") {
		t.Errorf("a compound within an item: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestNamed(t *testing.T) {
	c := startMaster(t).client(grouped)
	for _, tt := range []struct {
		tgt  any
		kind string
		want []string
	}{
		{"web-1", "", []string{"web-1"}},
		{"web-*", "", nil},
		{[]string{"a", "b"}, "list", []string{"a", "b"}},
		{"pair", "nodegroup", []string{"web-1", "web-2"}},
		{"none", "nodegroup", nil},
		{"(", "pcre", nil},
	} {
		if got := c.Named(Job{Tgt: tt.tgt, TgtType: tt.kind}); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v", tt.tgt, got)
		}
	}
}

func TestPreview(t *testing.T) {
	m := startMaster(t)
	minion := func(id string) any { return []any{id, "up", ""} }
	m.runs("return", wire.NewMap("id", "top", "minions", []any{minion("web-2"), minion("web-1")}, "nodes", []any{
		wire.NewMap("id", "node", "minions", []any{minion("web-3"), minion("db-1"), minion("web-1")}),
	}), "success", true)
	data := filepath.Join(m.dir, "minions", "web-1")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := wire.Encode(wire.NewMap("grains", wire.NewMap("os", "Debian"), "pillar", wire.NewMap()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "data.p"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	c := m.client()
	p, err := c.Preview(within(t), Job{Tgt: "web-*"})
	if err != nil || !slices.Equal(p.Minions, []string{"web-1", "web-2", "web-3"}) || len(p.Unknown) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = c.Preview(within(t), Job{Tgt: "os|Deb*", TgtType: "grain", Extra: map[string]any{"delimiter": "|"}})
	if err != nil || !slices.Equal(p.Minions, []string{"web-1"}) || p.Unknown["top"] != 1 || p.Unknown["node"] != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	var bad *TargetError
	if _, err := c.Preview(within(t), Job{Tgt: "(", TgtType: "pcre"}); !errors.As(err, &bad) || bad.Target != "(" {
		t.Errorf("%v", err)
	}
}
