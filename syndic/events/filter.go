package events

import (
	"errors"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// StaysHere names what never goes up as an event: returns travel through the
// outbox, copies under a node's name would double at each tier, the end of a job
// at this node is not the end of the job, `key` is between the parts of one
// master, and tags of our own are between one master and who reads its bus: its audit, the
// heartbeat of a daemon.
func StaysHere(tag string) bool {
	switch kindOf(tag) {
	case jobevent.KindReturn, jobevent.KindComplete, jobevent.KindClosed:
		return true
	}
	return tag == "key" || strings.HasPrefix(tag, "mom/") || strings.HasPrefix(tag, "syndic/")
}

// BelongsAbove also applies Salt's rules: nothing that has a retcode, and in the
// mode cluster only what tells who has to answer.
func BelongsAbove(conf *config.Master, e bus.Event) bool {
	switch {
	case e.Copy || StaysHere(e.Tag):
		return false
	case Urgent(e.Tag):
		return true
	}
	return conf.SyndicMode != "cluster" && wanted(conf, e.Tag) && !hasRetcode(e.Data)
}

// wanted applies syndic_events_whitelist and syndic_events_blacklist to an event
// that is not about who has to answer a job: what nobody above reads need not
// travel.
func wanted(conf *config.Master, tag string) bool {
	named := func(globs []string) bool {
		return slices.ContainsFunc(globs, func(g string) bool { return target.Glob(g, tag) })
	}
	if named(conf.SyndicEventsBlacklist) {
		return false
	}
	return len(conf.SyndicEventsWhitelist) == 0 || named(conf.SyndicEventsWhitelist)
}

var errFound = errors.New("found")

func hasRetcode(data wire.Raw) bool {
	err := wire.Fields(data, func(key string, _ wire.Raw) error {
		if key == "retcode" {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}
