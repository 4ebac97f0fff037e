package jobs

import (
	"errors"
	"strings"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// Take starts the job of a publication if it is for this minion and new.
func (j *Jobs) Take(from Master, p wire.Publication) error {
	if err := jid.Usable(p.JID); err != nil {
		return err
	}
	if len(p.Fun) == 0 || len(p.Arg) == 0 || len(p.Tgt) == 0 {
		err := errors.New("fun, arg or tgt is missing")
		j.Decline(from, p, err)
		return err
	}
	meant, err := from.Meant(p)
	if err != nil {
		//mutant:unreadable-jobs-are-answered
		j.Decline(from, p, err)
		return err
	}
	if !meant {
		from.PassOver(p)
		return nil
	}
	asked, _, _, err := jobfields.Requested(p) // the signature covers the original target
	if err != nil {
		return j.refuse(from, p, err)
	}
	issued, expires, err := j.tops.permits(asked, j.Now())
	if err != nil {
		return j.refuse(from, p, err)
	}
	fresh, done := j.recent.take(p.JID, from)
	if !fresh {
		if done != nil {
			return from.Push(p.JID, done)
		}
		return nil
	}
	if err := j.tops.first(p.JID, issued, expires, j.Now()); err != nil {
		j.recent.forget(p.JID)
		return j.refuse(from, p, err)
	}
	j.Log.Info("job received", "jid", p.JID, "fun", text(p.Fun), "user", p.User)
	names, _ := delivery.Functions(p.Fun)
	place, err := j.slots.admit(strings.Join(names, ","))
	if err != nil {
		j.answer(from, p, delivery.Failure(p, "ERROR: "+err.Error()))
		return err
	}
	j.work.Go(func() {
		defer place.leave()
		j.run(from, p, place)
	})
	return nil
}

// text formats a value of a publication for the log.
func text(r wire.Raw) any {
	v, err := wire.Decode(r)
	if err != nil {
		return "?"
	}
	return v
}
