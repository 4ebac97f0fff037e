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

// StaysLocal reports whether events of a tag never go up. These are returns, which travel through
// the outbox; copies under a node's name, which would double at each tier; the end of a job at this
// node, which is not the end of the job; "key", which is internal to a master; and "mom/", a
// master's messages to readers of its own bus.
func StaysLocal(tag string) bool {
	switch kindOf(tag) {
	case jobevent.KindReturn, jobevent.KindComplete, jobevent.KindClosed:
		return true
	}
	return tag == "key" || strings.HasPrefix(tag, "mom/") || strings.HasPrefix(tag, "syndic/")
}

// GoesUp reports whether an event goes to the parents. Beyond [StaysLocal] it applies Salt's rules:
// events with a retcode stay here, and in syndic_mode cluster everything that is not urgent does.
func GoesUp(conf *config.Master, e bus.Event) bool {
	switch {
	case e.Copy || StaysLocal(e.Tag):
		return false
	case Urgent(e.Tag):
		return true
	}
	return conf.SyndicMode != "cluster" && wanted(conf, e.Tag) && !hasRetcode(e.Data)
}

// wanted applies syndic_events_whitelist and syndic_events_blacklist to an event that is not
// urgent.
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
