package commands

import (
	"context"
	"slices"

	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// ofOneJob are the runners that tell of one job, and read nothing else.
var ofOneJob = []string{"jobs.exit_success", "jobs.list_job", "jobs.lookup_jid", "jobs.print_job", "topology.trace"}

// ownJob tells whether a call asks for a job of the very user who makes it: whoever was
// allowed to start a job may see what became of it, as by job_page.
func (c runner) ownJob(ctx context.Context, l *server.Login, call access.Call) bool {
	if l == nil || l.Name == "" || l.Name == c.own || !slices.Contains(ofOneJob, call.Fun) {
		return false // a user of a login service who is called as the master's own is another one
	}
	var named any
	switch {
	case len(call.Args) > 0 && !call.Kwargs.Has("jid"):
		named = call.Args[0]
	case len(call.Args) == 0:
		named, _ = call.Kwargs.Get("jid")
	}
	id, ok := named.(string)
	if !ok || id == "" {
		return false
	}
	user, known, err := c.jobUser(ctx, id)
	return err == nil && known && user == l.Name
}
