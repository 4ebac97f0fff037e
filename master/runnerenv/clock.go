package runnerenv

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Clock serves the runner clock.status.
func (e Env) Clock() *wire.Map {
	j, jumped := e.p.Ages.Look()
	out := wire.NewMap("steady", !jumped, "jumps", int64(e.p.Ages.Jumps()))
	if jumped {
		out.Set("jumped_seconds", j.By.Seconds())
		out.Set("while_down", j.Down)
		out.Set("believed_in_seconds", j.Left.Round(time.Second).Seconds())
	}
	return out
}

// ConfirmClock serves the runner clock.confirm.
func (e Env) ConfirmClock() (jumped time.Duration, was bool) {
	j, was := e.p.Ages.Confirm()
	return j.By, was
}
