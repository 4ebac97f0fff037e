package api

import (
	"strings"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/value"
)

// eventRules decides which events a user may receive.
type eventRules struct {
	// all gives everyone all events.
	all bool
	// masterUser is the user that the master runs as.
	masterUser string
}

// of returns what the user of a token may receive: all events with the rule @events, or with .* on
// all minions, because who may run anything can find out anything; those of all jobs with the
// rules @runner, @runners or @jobs, which look up jobs; otherwise those of the user's own jobs and
// calls. Rules in another form allow less and do not matter.
func (r eventRules) of(t Token) stream.Permissions {
	if r.all {
		return stream.Permissions{All: true}
	}
	p := stream.Permissions{User: t.Eauth + "/" + t.Name, Name: t.Name}
	if t.Name == "root" || t.Name == r.masterUser || strings.HasPrefix(t.Name, "sudo_") {
		//mutant:api-users-of-the-machine
		p.Name = "" // at a Salt master, users of the machine own the jobs of these names
	}
	for _, rule := range t.Perms {
		switch rule := rule.(type) {
		case string:
			switch rule {
			case "@events", ".*":
				p.All = true
			case "@runner", "@runners", "@jobs":
				p.Jobs = true
			}
		case *value.Map:
			for _, fun := range rule.List("*") {
				p.All = p.All || fun == ".*"
			}
		}
	}
	return p
}
