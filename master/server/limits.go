package server

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// timeout limits the work for one request. Clients give up much earlier (request_channel_timeout is
// 60 s).
const timeout = 120 * time.Second

// atDoor are the limits for scanning a load. Depth is cheap to scan, so a load that is too deep can
// be refused by name.
var atDoor = wire.Limits{MaxDepth: wire.DoorDepth}

// maxName limits strings of a stranger: names of commands, functions and users. Longer ones count
// as absent.
const maxName = 512

// MaxValues limits the values of a fully decoded request, counting elements, keys and containers:
// half a million take about fifty megabytes. It does not apply to commands with [Command.Whole].
const MaxValues = 1 << 19

// weigh counts the values of a load and blocks until there is room for them.
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
