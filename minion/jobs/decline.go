package jobs

import (
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// Decline answers a job that is refused, though it is or may be for this minion, because the
// master sees the minion connected and would wait forever. A job that this minion has worked on
// is not answered: the return of the true job must stand.
func (j *Jobs) Decline(from Master, p wire.Publication, why error) {
	if jid.Usable(p.JID) != nil || !j.Config.PubRet || j.recent.has(p.JID) || j.tops != nil && j.tops.seen.has(p.JID) {
		return
	}
	meant, err := from.Meant(p)
	if err == nil && !meant || err != nil && !from.Ours() {
		return
	}
	full, err := j.Encoder.Return(j.Encoder.Bare(p), delivery.Failure(p, fmt.Sprintf("ERROR: %s does not take the job: %v", j.Config.ID, why)))
	if err == nil {
		err = from.Push(p.JID, full)
	}
	if err != nil {
		j.Log.Error("job cannot be declined, the master waits for this minion until its timeout", "jid", p.JID, "master", from.Name(), "err", err)
	}
}
