package syndic

import (
	"slices"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
)

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
