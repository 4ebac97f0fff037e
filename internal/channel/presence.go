package channel

import (
	"context"

	"github.com/momtree/mom/internal/wire"
)

// Presence is the content of a `_presence` request other than id, session and role. The command
// is an addition to Salt's protocol. Other masters answer it with an empty map, as they answer
// any unknown command.
type Presence struct {
	Version string   // of this program
	Running []string // jids of running jobs
	Tree    any      // syndics only; omitted when nil
	Heard   *Tail    // how far publications were received; omitted when nil
	// More are additional fields; they do not replace the others.
	More *wire.Map
}

// Announce reports to the master which subscription belongs to this identity: the one whose
// READY has [Channel.Session] as Identity. known is false if the master does not know the
// command; the caller need not repeat it. If a master knows the command but fails or refuses
// it, the error is [ErrFailed].
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
	if reply, err = wire.DecodeMap(raw); err != nil { // the empty string is Salt's reply when a handler failed
		//mutant:refused-greeting-is-repeated
		return nil, false, c.fail("request _presence", ErrFailed, "", "look at the master's log")
	}
	return reply, reply.Len() > 0, nil
}
