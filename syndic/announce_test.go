package syndic

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
)

// On connect a parent gets the expectations of the jobs it requested and of those that nobody
// requested, but not of another parent's: it would wait for returns it never gets.
func TestReconnectReportsOwnJobs(t *testing.T) {
	one, two := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	// In the order of the configuration, not shuffled.
	n := plant(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, one, two)
	n.parents.learn(t.Context(), n.parents.links[0], job(1), "")
	n.parents.learn(t.Context(), n.parents.links[1], job(2), "")
	n.local.mu.Lock()
	n.local.open = []bus.Event{events.NoMatch(returners.Part{JID: job(1)}), events.Refused(job(1), errors.New("no")), events.NoMatch(returners.Part{JID: job(2)}), events.NoMatch(returners.Part{JID: job(3)})}
	n.local.mu.Unlock()
	n.run(t)
	n.awaitUp(t)
	missing := "salt/job/" + job(1) + "/missing"
	waiting.Until(t, "the greetings", func() bool {
		return one.heard(job(3)) > 0 && two.heard(job(3)) > 0 && one.heard(job(1)) > 0 && two.heard(job(2)) > 0 && one.heard(missing) > 0
	})
	if one.heard(job(2)) > 0 || two.heard(job(1)) > 0 || two.heard(missing) > 0 {
		t.Error("parent got the expectation of another parent's job")
	}
}
