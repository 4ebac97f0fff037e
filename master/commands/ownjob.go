package commands

import (
	"context"
	"slices"

	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/server"
)

// ofOneJob are the runners that tell of one job, and read nothing else.
var ofOneJob = []string{"jobs.exit_success", "jobs.list_job", "jobs.lookup_jid", "jobs.print_job", "topology.trace"}

// JobOf names the job that a call of a runner tells of, if it is one that tells of a single
// job and reads nothing else. Whoever was allowed to start a job may see so what became of
// it, as by job_page.
func JobOf(call functions.Bound) (jid string, ok bool) {
	if call.Fault() != nil || !slices.Contains(ofOneJob, call.Fun()) {
		return "", false
	}
	named, _ := call.Arg("jid")
	jid, _ = named.(string)
	return jid, jid != ""
}

// ownJob tells whether a call asks for a job of the very user who makes it.
func (c runner) ownJob(ctx context.Context, l *server.Login, call functions.Bound) bool {
	if l == nil {
		return false
	}
	id, ok := JobOf(call)
	if !ok {
		return false
	}
	job, known, err := c.store.Local().GetLoad(ctx, id)
	//mutant:api-own-jobs-by-runners
	return err == nil && known && access.LoginOwner(l).Owns(job)
}
