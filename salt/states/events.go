package states

import (
	"context"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// event sends the events of a finished state: with state_events under the job's tag, with
// the option fire_event under its own tag.
func (r *Run) event(ctx context.Context, res *value.Map, total int, fire any) {
	if r.o.Fire == nil || !r.o.Events && !pyfmt.Truth(fire) {
		return
	}
	data := value.NewMap("ret", res.Clone())
	tag := "salt/job/" + r.o.JID + "/prog/" + r.o.ID + "/" + text(res, "__run_num__")
	switch fire := fire.(type) {
	case bool:
		if fire {
			tag = "salt/state_result/" + r.o.JID + "/" + r.o.ID + "/" + text(res, "name")
			break
		}
		data.Set("len", int64(total))
	case string:
		tag = "salt/state_result/" + r.o.JID + "/" + r.o.ID + "/" + fire
	default:
		data.Set("len", int64(total))
	}
	if err := r.o.Fire(ctx, tag, data); err != nil {
		r.o.Log.Error("state event not sent", "tag", tag, "err", err)
	}
}
