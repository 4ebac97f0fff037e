package commands

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
)

// notServed lists the commands that this master knows but does not serve, with their purpose and
// Salt's own answer (Salt wire reference §8.2).
var notServed = []struct {
	cmd, what string
	answer    func(d *wire.Map) any
}{
	{"verify_minion", "verify_minion", blank},
}

func blank(*wire.Map) any { return "" }

func init() {
	for _, c := range notServed {
		Register(server.Command{Name: c.cmd, Who: server.Peer, Doc: "Not served: " + c.what + "."}, func(p *Parts) server.Handler {
			return refused{c.what, c.answer, p.Unserved, p.Stats}.serve
		})
	}
}

// refused handles a command that is not served.
type refused struct {
	what     string
	answer   func(d *wire.Map) any
	unserved *Unserved
	stats    *telemetry.Counters
}

func (c refused) serve(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("%s of %q: %w", r.Cmd, r.ID, err)
	}
	about, _ := d.Get("path")
	if about == nil {
		about, _ = d.Get("fun")
	}
	text, _ := about.(string)
	c.stats.Refused.Add(1)
	//mutant:refused-commands-are-logged
	c.unserved.Note(c.what, r.Cmd, r.ID, text)
	return c.answer(d), nil
}
