package server

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// timeout bounds the work for one request. A client has given up long before
// (request_channel_timeout is 60 s).
const timeout = 120 * time.Second

// atDoor is what a load is looked through with: depth costs nothing then, and what is
// too deep is refused by name.
var atDoor = wire.Limits{MaxDepth: wire.DoorDepth}

// maxName bounds the texts of a stranger that are looked at: names of commands,
// functions and users. Longer ones are taken for none.
const maxName = 512

// MaxValues bounds the values of a request that is decoded as a whole, each element,
// key and container counting: half a million are some fifty megabytes. What stays as it
// came ([Command.Whole]) may have more.
const MaxValues = 1 << 19

// weigh counts the values of a load and waits until there is room to work on them.
func (s *Server) weigh(ctx context.Context, c *Command, load wire.Raw) (done func(), err error) {
	lim := atDoor
	if !c.Whole {
		//mutant:minion-request-values
		lim.MaxNodes = MaxValues
	}
	n, err := wire.Size(load, lim)
	if err != nil {
		return nil, err
	}
	//mutant:large-requests-take-turns
	return s.work.Begin(ctx, n)
}
