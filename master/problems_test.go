package master

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// The tree shows ignored configuration entries, whether found by the file reader or by the part
// that uses them.
func TestTree_EntriesThatCannotBeUnderstood(t *testing.T) {
	for name, set := range map[string]func(*config.Master){
		"publisher_acl": func(c *config.Master) { c.PublisherAcl = map[string]any{"fred": []any{"test.("}} },
		"peer":          func(c *config.Master) { c.Peer = map[string]any{"m1": []any{int64(1)}} },
		"external_auth": func(c *config.Master) { c.ExternalAuth = map[string]any{"ldap": "hello"} },
		"mine_get":      func(c *config.Master) { c.MineGet = map[string]any{"m1": "x"} },
		"schedule":      func(c *config.Master) { c.Schedule = map[string]any{"a": "hello"} },
		"nodegroups":    func(c *config.Master) { c.LeftOut = []string{"master:3: option nodegroups: group web"} },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, set)
			r.start()
			r.reportProblems()
			problems := r.Master.Snapshot().Problems
			if len(problems) != 1 || problems[0].Kind != topology.Degraded || !strings.Contains(problems[0].Detail, "option "+name) {
				t.Errorf("%+v", problems)
			}
		})
	}
}

// The tree shows returns that a returner on the minion did not save, with the last reason.
func TestTree_UnsavedReturns(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	const jid = "20260102030405678901"
	for _, why := range []string{"returner mysql: no database", "returner redis: no route"} {
		m.must(wire.NewMap("cmd", "_minion_event", "tag", "salt/job/"+jid+"/unsaved/m1", "data", wire.NewMap("err", why)))
	}
	r.reportProblems()
	problems := r.Master.Snapshot().Problems
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, "2 returns in the last hour") || !strings.Contains(problems[0].Detail, "redis: no route") {
		t.Errorf("%+v", problems)
	}
}
