package syndic

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// Attack: a user whom publisher_acl of the top lets publish to some minions names one below a
// node. The top cannot know whether it is one of these, so it sends along what the user is held
// to; the node has to hand that on with the job, whole and in each way that a job takes: heard,
// or fetched because it was missed. An empty list lets nobody do anything, and is not none.
func TestCVE2022_22941(t *testing.T) {
	rules := []any{wire.NewMap("web*", []any{"test.*"}), "test.ping"}
	p := startParent(t, channeltest.Rules{SignPublications: true})
	n := start(t, nil, p)
	for i, list := range [][]any{rules, {}} {
		pub := channeltest.Job(job(i+1), "db1", "cmd.run", "id")
		pub.Set("auth_list", list)
		pub.Set("user", "fred")
		p.Publish(pub)
		waiting.Until(t, "the job", func() bool { return len(n.master.published()) == i+1 })
		kwargs := n.master.published()[i].Map("kwargs")
		if kwargs == nil || !kwargs.Has("auth_list") || kwargs.String("user") != "fred" {
			t.Fatalf("handed on with %#v", kwargs)
		}
		if got, want := fmt.Sprintf("%#v", kwargs.List("auth_list")), fmt.Sprintf("%#v", list); got != want {
			t.Errorf("the user is held to %s, want %s", got, want)
		}
	}
}
