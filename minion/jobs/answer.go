package jobs

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// answer encodes the return of a job and stores it for every master that waits for it.
func (j *Jobs) answer(from Master, p wire.Publication, r delivery.Result) {
	j.hand(from, p, j.encoded(p, r))
}

// encoded returns the return of a job in wire encoding; nil if it could not be encoded.
func (j *Jobs) encoded(p wire.Publication, r delivery.Result) wire.Raw {
	full, err := j.Encoder.Return(p, r)
	if err != nil {
		full, err = j.Encoder.Return(j.Encoder.Bare(p), delivery.Failure(p, "ERROR: the result cannot be returned: "+err.Error()))
	}
	if err != nil {
		j.Log.Error("return not built", "jid", p.JID, "err", err)
		return nil
	}
	return full
}

// hand stores a return for every master that waits for it.
func (j *Jobs) hand(from Master, p wire.Publication, full wire.Raw) {
	if full == nil {
		return
	}
	if j.Config.CacheJobs {
		if err := j.Cache.Put(p.JID, full); err != nil {
			j.Log.Error("return not cached", "jid", p.JID, "err", err)
		}
	}
	defer j.remember(p.JID) // after the return is stored
	for _, to := range j.recent.finish(p.JID, full, from) {
		if !j.Config.PubRet {
			continue
		}
		if err := to.Push(p.JID, full); err != nil {
			j.Log.Error("return lost", "jid", p.JID, "master", to.Name(), "err", err)
		}
	}
	j.recent.keep(p.JID)
}
