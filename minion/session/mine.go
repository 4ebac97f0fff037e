package session

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/modules"
)

// mineUpdate is the function by which a minion sends what its mine_functions give.
const mineUpdate = "mine.update"

// giveMine sends to the mine of the master what mine_functions give, now and every
// mine_interval.
func (s *Session) giveMine(ctx context.Context) {
	o := s.all.Options
	for o.MineEnabled {
		res := modules.Execute(ctx, s.Env(), modules.Invocation{Fun: mineUpdate})
		switch {
		case ctx.Err() != nil:
			return
		case res.Err != nil:
			s.log.Warn("the mine was not updated", "err", res.Value)
		}
		if o.MineReturnJob && (res.Value != nil || res.Err != nil) {
			if err := s.returnMine(res); err != nil {
				s.log.Error("the job that updates the mine was not returned", "err", err)
			}
		}
		if sleep.For(ctx, o.MineInterval) != nil {
			return
		}
	}
}

// returnMine returns an update as a job of the minion's own, as Salt's scheduler does.
func (s *Session) returnMine(res modules.Result) error {
	id := jid.New(s.all.Now())
	load, err := wire.Encode(wire.NewMap("cmd", "_return", "id", s.all.Options.ID, "jid", id, "return", res.Value, "retcode", res.Retcode, "success", res.Success,
		"fun", mineUpdate, "fun_args", []any{}, "schedule", "__mine_interval", "tgt", s.all.Options.ID, "tgt_type", "glob"))
	if err != nil {
		return fmt.Errorf("job %s: %w", id, err)
	}
	return s.Push(id, load)
}
