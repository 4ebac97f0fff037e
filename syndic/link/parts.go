package link

import (
	"context"

	"github.com/momtree/mom/internal/channel"
)

// Publications receives what the parent publishes.
type Publications interface {
	// Take queues one raw publication. It blocks while too many are unopened.
	Take(ctx context.Context, frame []byte)
	// Tail tracks which publications were received.
	Tail() *channel.Tail
	// Fetch starts fetching missed publications.
	Fetch()
}

// Parts are the parts of the forwarder that use the connection. All are required.
type Parts struct {
	Publications Publications
	// Greeted is called when the parent has accepted the announcement and may have missed earlier
	// reports; Up when it accepts returns and events.
	Greeted, Up func()
}
