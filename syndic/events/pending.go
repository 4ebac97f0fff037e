package events

import (
	"sync"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
)

const (
	// maxAnswers and answerQueueBytes bound the reports by this node on jobs that its local master
	// does not know.
	maxAnswers     = 4096
	maxAnswerBytes = 32 << 20
)

// pending holds the queues of one parent and its requests in flight.
type pending struct {
	kick chan struct{} // wakes send

	mu       sync.Mutex
	urgent   queue
	answers  queue // reports by this node, which cannot be repeated
	normal   queue
	inFlight inFlight
}

// init creates empty queues. It passes each dropped urgent event to gone, under the mutex.
func (w *pending) init(b bounds.Bounds, gone func(bus.Event)) {
	w.kick = make(chan struct{}, 1)
	w.urgent = queue{max: b.ReportQueue, maxBytes: b.ReportQueueBytes, gone: gone}
	w.answers = queue{max: maxAnswers, maxBytes: maxAnswerBytes}
	w.normal = queue{max: b.EventQueue, maxBytes: b.EventQueueBytes}
}

// room reports whether a repeated report may be queued. The second half of the queue is reserved
// for new events. The caller holds the mutex.
func (w *pending) room() bool {
	n, bytes := w.urgent.len()+w.inFlight.events, w.urgent.bytes+w.inFlight.bytes
	//mutant:repeated-reports-wait-for-room
	return n == 0 || 2*n < w.urgent.max && 2*bytes < w.urgent.maxBytes
}

// inFlight describes the requests in flight to one parent. Requests with urgent events never share
// a job, so the reports of a job arrive in order and its end follows them. It is guarded by the
// mutex of pending.
type inFlight struct {
	urgent int
	normal bool
	jobs   map[string]bool // with events in an urgent request
	events int             // events in urgent requests
	bytes  int             // size of those
}

// outgoing is a batch of events to be sent in one request.
type outgoing struct {
	batch  []bus.Event
	from   *queue
	urgent bool
}

// set adds the events of f to the counts, or removes them.
func (a *inFlight) set(f outgoing, add bool) {
	if a.jobs == nil {
		a.jobs = map[string]bool{}
	}
	sign := 1
	if !add {
		sign = -1
	}
	for _, e := range f.batch {
		a.events += sign
		a.bytes += sign * size(e)
		if add {
			a.jobs[JobOf(e.Tag)] = true
		} else {
			delete(a.jobs, JobOf(e.Tag))
		}
	}
}
