package syndic

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// Attack: a user whom publisher_acl of the top restricts to some minions names one below a node.
// The top cannot know whether that minion is allowed, so it sends the user's restrictions along.
// The node must pass them on with the job, whether the publication was received or fetched. An
// empty list allows nothing; it is not a missing list.
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
			t.Fatalf("republished with %#v", kwargs)
		}
		if got, want := fmt.Sprintf("%#v", kwargs.List("auth_list")), fmt.Sprintf("%#v", list); got != want {
			t.Errorf("restrictions %s, want %s", got, want)
		}
	}
}
