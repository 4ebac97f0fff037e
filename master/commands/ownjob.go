package commands

import (
	"context"
	"slices"

	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/server"
)

// ofOneJob lists the runners that read a single job and nothing else.
var ofOneJob = []string{"jobs.exit_success", "jobs.list_job", "jobs.lookup_jid", "jobs.print_job", "topology.trace"}

// JobOf returns the job that a runner call reads, if the call reads a single job and nothing else.
// So users who may start a job may also see its result, as with job_page.
func JobOf(call functions.Bound) (jid string, ok bool) {
	if call.Fault() != nil || !slices.Contains(ofOneJob, call.Fun()) {
		return "", false
	}
	named, _ := call.Arg("jid")
	jid, _ = named.(string)
	return jid, jid != ""
}

// ownJob reports whether a call reads a job of the user who makes it.
func (c runner) ownJob(ctx context.Context, l *server.Login, call functions.Bound) bool {
	if l == nil {
		return false
	}
	id, ok := JobOf(call)
	if !ok {
		return false
	}
	job, known, err := c.load(ctx, id)
	//mutant:api-own-jobs-by-runners
	return err == nil && known && access.LoginOwner(l).Owns(job)
}
