package master

import (
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// A job uses the node groups of the master where it starts. They are expanded before it travels
// down, so minions and nodes below need not know them. An unknown group is refused at once, so that
// --async does not return the jid of a job that never runs.
func TestNodeGroupsAreExpandedWhereTheJobStarts(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		c.OrderMasters = true
		c.Nodegroups = map[string]any{
			"web": "web* or N@edge", "edge": "L@m1,m2", "red": []any{"G@os:Red Hat", "or", "m1"},
			"a": "N@b", "b": "x or N@a",
		}
	})
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, c := range []struct {
		tgt     any
		tgtType string
		want    string
		refused string
	}{
		{"N@web", "compound", "( web* or ( L@m1,m2 ) )", ""},
		{"N@edge and not web1", "compound", "L@m1,m2 and not web1", ""},
		{[]any{"N@edge", "or", "db*"}, "compound", "L@m1,m2 or db*", ""},
		{"web", "nodegroup", "( web* or ( L@m1,m2 ) )", ""},
		{"N@red", "compound", "[G@os:Red Hat or m1]", ""},
		{"m* or G@os:x", "compound", "m* or G@os:x", ""},
		{"N@none", "compound", "", `unknown node group "none"`},
		{"none", "nodegroup", "", `unknown node group "none"`},
		{"m1 or N@a", "compound", "", "a -> b -> a"},
	} {
		reply := r.say(testJob(c.tgt, c.tgtType))
		if c.refused != "" {
			if e := reply.Map("error"); e == nil || !strings.Contains(e.String("message"), c.refused) {
				t.Errorf("%v: %v", c.tgt, plain(t, reply))
			}
			continue
		}
		p := m.hear()
		tgt, err := wire.Decode(p.Tgt)
		if err != nil || fmt.Sprint(tgt) != c.want || p.TgtType != "compound" || p.JID != reply.Map("load").String("jid") {
			t.Errorf("%v is published as %v, %s, %v", c.tgt, tgt, p.TgtType, err)
		}
		stored, _, _ := r.store.Local().GetLoad(t.Context(), p.JID)
		if raw, _ := wire.Field(stored.Raw, "tgt"); string(raw) != string(p.Tgt) {
			t.Errorf("%v is stored as % x", c.tgt, []byte(raw))
		}
	}
}
