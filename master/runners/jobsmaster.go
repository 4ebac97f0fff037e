package runners

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// AtWork is a runner call in progress.
type AtWork struct {
	JID, Fun, User string
	Args           []any // in the form of events
}

// Master is an [Env] that lists the runner calls in progress.
type Master interface {
	AtWork() []AtWork
}

func init() {
	Register(Function{Name: "jobs.master", Run: jobsMaster, Doc: `
The running runner calls of this master except this one: the id, the function, its
arguments, the caller and the start time.

    salt-run jobs.master
`})
}

func jobsMaster(_ context.Context, c *Call) (any, error) {
	m, ok := c.Env.(Master)
	if !ok {
		return nil, errors.New("jobs.master: running calls are not available here")
	}
	calls := m.AtWork()
	slices.SortFunc(calls, func(a, b AtWork) int { return cmp.Compare(a.JID, b.JID) })
	out := []any{}
	for _, w := range calls {
		if w.JID != c.JID {
			out = append(out, wire.NewMap("jid", w.JID, "fun", "runner."+w.Fun, "arg", w.Args, "user", w.User, "StartTime", jid.Pretty(w.JID)))
		}
	}
	return out, nil
}
