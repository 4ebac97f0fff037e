package master

import (
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// Attack: a user whom publisher_acl allows to publish to some minions names one below a syndic. The
// top has no matching minion of its own to object to, and the node runs what the top sends. Here
// the top refuses what may exceed the rules at a node that does not report its minions, and a node
// applies the rules again. The test of the same name in package syndic covers the node in between.
func TestCVE2022_22941(t *testing.T) {
	top := newRig(t, func(c *config.Master) {
		c.OrderMasters = true
		c.PublisherAcl = map[string]any{"fred": []any{wire.NewMap("web*", []any{"test.*"})}}
	})
	top.start()
	top.access.Users = access.Users{"root": rootKey, "fred": "the key of fred"}
	node := top.minion("n1", "syndic", "syndic").listen().announce()
	if got := top.say(testJob("db1", "glob", "key", "the key of fred", "user", "fred")); got.Map("error").String("name") != "AuthorizationError" {
		t.Errorf("the top answers %v", plain(t, got))
	}
	id := top.say(testJob("web1", "glob", "key", "the key of fred", "user", "fred")).Map("load").String("jid")
	p := node.hear()
	if p.JID != id {
		t.Fatalf("the node hears %s, not the job %s that the rules allow", p.JID, id)
	}
	if wire.Count(p.AuthList) == 0 {
		t.Fatal("what the user is held to does not go along")
	}
	lower := newRig(t)
	lower.start()
	db := lower.minion("db1", "minion", "minion").listen().announce()
	got := lower.say(testJob("db1", "glob", "jid", p.JID, "kwargs", wire.NewMap("auth_list", p.AuthList, "user", "fred")))
	if got.Map("error").String("name") != "AuthorizationError" || len(db.heard) != 0 {
		t.Errorf("the node answers %v", plain(t, got))
	}
}
