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

// A parent hears at the greeting who has to answer the jobs it asked for and those
// that nobody above did, not those of another parent: it would wait for returns
// that it is not owed.
func TestGreetingTellsOfTheParentsOwnJobs(t *testing.T) {
	one, two := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	// In the order of the configuration, or the links would be shuffled.
	n := plant(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, one, two)
	n.parents.learn(t.Context(), n.parents.links[0], job(1), "")
	n.parents.learn(t.Context(), n.parents.links[1], job(2), "")
	n.local.mu.Lock()
	n.local.open = []bus.Event{events.Nobody(returners.Part{JID: job(1)}), events.Refused(job(1), errors.New("no")), events.Nobody(returners.Part{JID: job(2)}), events.Nobody(returners.Part{JID: job(3)})}
	n.local.mu.Unlock()
	n.run(t)
	n.awaitUp(t)
	missing := "salt/job/" + job(1) + "/missing"
	waiting.Until(t, "the greetings", func() bool {
		return one.heard(job(3)) > 0 && two.heard(job(3)) > 0 && one.heard(job(1)) > 0 && two.heard(job(2)) > 0 && one.heard(missing) > 0
	})
	if one.heard(job(2)) > 0 || two.heard(job(1)) > 0 || two.heard(missing) > 0 {
		t.Error("a parent hears of a job that another one asked for")
	}
}
