package link

import (
	"context"

	"github.com/momtree/mom/internal/channel"
)

// Publications takes what the parent publishes.
type Publications interface {
	// Take is given one as it came. It waits while too many are unopened.
	Take(ctx context.Context, frame []byte)
	// Tail is how far they were heard.
	Tail() *channel.Tail
	// Fetch has those fetched that were missed.
	Fetch()
}

// Parts are those of the forwarder that hang on the connection. None may be left out.
type Parts struct {
	Publications Publications
	// Greeted is called when the parent has been greeted, and may have missed what was
	// told before; Up when returns and events can go to it.
	Greeted, Up func()
}
