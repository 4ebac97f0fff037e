package events

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/pace"
)

// Parent is the master above that the events go to.
type Parent interface {
	// IsUp tells whether it can be sent to, Ours whether it has said that it is one of ours.
	IsUp() bool
	Ours() bool
	// Request sends a load and waits for the answer.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Local is the local master, as far as it tells jobs again.
type Local interface {
	OpenJobs(after string, n int) []string
	Word(jid string) (word uint64, closed bool)
	Story(jid string, n int) iter.Seq[bus.Event]
}

// Options of an [Uplink]. None may be left out.
type Options struct {
	ID     string // of this node
	Name   string // of the parent, for what sweeps find
	Parent Parent
	Local  Local
	// Concerned tells whether the parent should hear who has to answer a job.
	Concerned func(jid string) bool
	// Heard tells whether the parent has taken all words of a closed job up to that one;
	// Took notes that it has now.
	Heard func(jid string, word uint64) bool
	Took  func(c jobevent.Closed)
	// Gather is how long what is not urgent waits for more (syndic_event_forward_timeout).
	Gather  time.Duration
	Bounds  bounds.Bounds
	Pace    *pace.Pace
	Numbers *sequence.Numbers // of requests with urgent events
	Rescues *rescue.Counter
	Log     *slog.Logger
}
