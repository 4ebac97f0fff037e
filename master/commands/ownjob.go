package commands

import (
	"context"
	"slices"

	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// ofOneJob are the runners that tell of one job, and read nothing else.
var ofOneJob = []string{"jobs.exit_success", "jobs.list_job", "jobs.lookup_jid", "jobs.print_job", "topology.trace"}

// JobOf names the job that a call of a runner tells of, if it is one that tells of a single
// job and reads nothing else. Whoever was allowed to start a job may see so what became of
// it, as by job_page.
func JobOf(call access.Call) (jid string, ok bool) {
	if !slices.Contains(ofOneJob, call.Fun) {
		return "", false
	}
	var named any
	switch {
	case len(call.Args) > 0 && !call.Kwargs.Has("jid"):
		named = call.Args[0]
	case len(call.Args) == 0:
		named, _ = call.Kwargs.Get("jid")
	}
	jid, _ = named.(string)
	return jid, jid != ""
}

// ownJob tells whether a call asks for a job of the very user who makes it.
func (c runner) ownJob(ctx context.Context, l *server.Login, call access.Call) bool {
	if l == nil || l.Name == "" || l.Name == c.own {
		return false // a user of a login service who is called as the master's own is another one
	}
	id, ok := JobOf(call)
	if !ok {
		return false
	}
	user, known, err := userOf(ctx, c.store, id)
	return err == nil && known && user == l.Name
}
