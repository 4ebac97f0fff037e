package master

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/ledger"
)

// jobPage serves `job_page`, our addition to the clear commands: a command that follows
// a job and was cut off the event bus, since it read too slowly, takes what it has
// missed from the job cache. The page holds the returns whose minion ids come after the
// one given, each as its event had it; `more` tells that there are others behind. With
// the first page comes, under `complete`, what the job's last event says if it is
// over: all its returns are stored then.
//
// Whoever may do everything may ask for any job, another user for the jobs of that user.
func (m *Master) jobPage(ctx context.Context, load wire.Raw) any {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return refusal{"SaltInvocationError", "job_page: " + err.Error()}.reply()
	}
	jid, after := d.String("jid"), d.String("after")
	job, ok, err := m.store.Local().GetLoad(ctx, jid)
	if err != nil {
		return refusal{"SaltReqTimeoutError", err.Error()}.reply()
	}
	owner, _ := m.users.User(d.String("key"))
	sender := access.Sender{Owner: owner, Own: m.user(), Name: d.String("user"), Extra: wire.NewMap()}
	if !m.access.Trusts(sender) && (!ok || owner != sender.Name || job.User != owner) {
		m.refusedUser("job_page", sender.Name, jid)
		return errNotAllowed.reply()
	}
	a, known := m.ledger.State(jid) // before the returns are read
	if !known {
		return refusal{"SaltInvocationError", "job_page: this master keeps no account of job " + jid}.reply()
	}
	if !m.cfg.JobCache {
		return refusal{"SaltInvocationError", "job_page: results are not kept (job_cache: False)"}.reply()
	}
	rets, err := m.store.ReturnsAfter(ctx, jid, after, m.cfg.Bounds.PageRows, m.cfg.Bounds.PageBytes)
	if err != nil {
		return refusal{"SaltReqTimeoutError", err.Error()}.reply()
	}
	page, last := make([]any, 0, len(rets)), after
	for _, r := range rets {
		last = r.ID
		if size, digest := wire.Digest(r.Full); len(r.Full) > 0 && (!digest || size >= 0) { // the others are no events either
			page = append(page, []byte(r.Full)) // not decoded on the way
		}
	}
	out := wire.NewMap("returns", page, "last", last, "more", len(rets) > 0)
	if after == "" && !a.Open() {
		out.Set("complete", completeData(a))
	}
	return out
}

// completeData is the data of the event salt/job/<jid>/complete.
func completeData(a ledger.Account) *wire.Map {
	nodes := wire.NewMap()
	for _, path := range sortedKeys(a.Nodes) {
		nodes.Set(path, string(a.Nodes[path]))
	}
	return wire.NewMap("jid", a.JID, "fun", a.Fun, "expected", a.Expected,
		"returned", a.Returned, "failed", a.Failed, "missing", missingData(a.JID, a.Missing, nil).Map("missing"), "nodes", nodes,
		"seconds", a.Closed.Sub(a.Opened).Seconds())
}
