package jobs

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

// fireStart fires `salt/job/<jid>/start/<id>` before a job runs (`salt --start-event`). If the
// event cannot be sent, the job runs anyway.
func (j *Jobs) fireStart(ctx context.Context, env modules.Env, p wire.Publication, load *wire.Map) {
	id := j.Config.ID
	data := wire.NewMap("id", id, "jid", p.JID)
	for _, name := range []string{"fun", "tgt", "tgt_type", "user"} {
		v, _ := load.Get(name) // None where it is absent
		data.Set(name, v)
	}
	for _, name := range []string{"master_id", "metadata"} {
		if v, ok := load.Get(name); ok && v != nil && v != "" {
			data.Set(name, v)
		}
	}
	if err := env.Fire(ctx, "salt/job/"+p.JID+"/start/"+id, data); err != nil {
		j.Log.Warn("start event not sent", "jid", p.JID, "err", err)
	}
}
