package api

import (
	"strings"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/value"
)

// earOf is what the holder of a token may hear: all events with the rule @events, or with
// .* on all minions, since who may run anything may find out anything; those of all jobs
// with the rules @runner, @runners or @jobs, by which jobs are looked up; else those of the
// user's own jobs and calls. Rules in another form, which allow less, do not widen it.
func (s *Server) earOf(t Token) stream.Ear {
	if s.o.AllEvents {
		return stream.Ear{All: true}
	}
	e := stream.Ear{User: t.Eauth + "/" + t.Name, Name: t.Name}
	if t.Name == "root" || t.Name == s.o.MasterUser || strings.HasPrefix(t.Name, "sudo_") {
		//mutant:api-users-of-the-machine
		e.Name = "" // at a master of Salt's the jobs of these names are of users of the machine
	}
	for _, rule := range t.Perms {
		switch rule := rule.(type) {
		case string:
			switch rule {
			case "@events", ".*":
				e.All = true
			case "@runner", "@runners", "@jobs":
				e.Jobs = true
			}
		case *value.Map:
			for _, fun := range rule.List("*") {
				e.All = e.All || fun == ".*"
			}
		}
	}
	return e
}
