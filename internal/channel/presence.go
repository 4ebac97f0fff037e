package channel

import (
	"context"

	"github.com/momtree/mom/internal/wire"
)

// Presence is what the command `_presence` reports beside id, session and role.
// It is an addition to Salt's protocol that other masters answer with an empty
// map, as they do any command they do not know.
type Presence struct {
	Version string   // of this program
	Running []string // jids of running jobs
	Tree    any      // syndics only; nil leaves it out
	Heard   *Tail    // how far publications were heard; nil leaves it out
	// More are fields beside these; nil: none. They do not replace the others.
	More *wire.Map
}

// Announce tells the master which subscription belongs to this identity: the
// one whose READY holds [Channel.Session] as Identity. known is false when the
// master does not know the command: then it need not be asked again. A master that
// knows it and fails or refuses it gives [ErrFailed].
func (c *Channel) Announce(ctx context.Context, p Presence) (reply *wire.Map, known bool, err error) {
	load := wire.NewMap(
		"cmd", "_presence", "id", c.cfg.ID, "session", c.session, "role", c.cfg.Role,
		"version", p.Version, "running", p.Running)
	if p.Tree != nil {
		load.Set("tree", p.Tree)
	}
	if p.Heard != nil {
		load.Set("heard", p.Heard.heard())
	}
	p.More.Range(func(key, val any) bool {
		if _, taken := load.GetKey(key); !taken {
			load.Set(key, val)
		}
		return true
	})
	raw, err := c.Request(ctx, load)
	if err != nil {
		return nil, false, err
	}
	if reply, err = wire.DecodeMap(raw); err != nil { // the empty text: Salt's answer of a handler that failed
		//mutant:refused-greeting-is-repeated
		return nil, false, c.fail("request _presence", ErrFailed, "", "look at the master's log")
	}
	return reply, reply.Len() > 0, nil
}
