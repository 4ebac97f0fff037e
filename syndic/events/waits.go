package events

import (
	"sync"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
)

const (
	// answerQueue and answerQueueBytes bound what this node itself has to say of jobs
	// that its local master knows nothing of: a parent publishes them one after the other.
	answerQueue      = 4096
	answerQueueBytes = 32 << 20
)

// waits are the events that wait for one parent, and what is under way to it.
type waits struct {
	kick chan struct{} // send now

	mu      sync.Mutex
	urgent  queue
	answers queue // of this node alone: nobody can tell them again
	news    queue
	aloft   flights
}

// init makes them empty. gone is told, under the mutex, of each urgent event that is lost.
func (w *waits) init(b bounds.Bounds, gone func(bus.Event)) {
	w.kick = make(chan struct{}, 1)
	w.urgent = queue{max: b.TellQueue, maxBytes: b.TellQueueBytes, gone: gone}
	w.answers = queue{max: answerQueue, maxBytes: answerQueueBytes}
	w.news = queue{max: b.NewsQueue, maxBytes: b.NewsQueueBytes}
}

// room tells whether a word that is told again has room: half of the queue is for what
// comes. The caller holds the mutex.
func (w *waits) room() bool {
	n, bytes := w.urgent.len()+w.aloft.words, w.urgent.bytes+w.aloft.bytes
	//mutant:repeated-reports-wait-for-room
	return n == 0 || 2*n < w.urgent.max && 2*bytes < w.urgent.maxBytes
}

// flights are the requests with events that are under way to one parent. Those with
// urgent words are about different jobs each: the words of one job arrive in their
// order, and its end behind them all. The mutex of what waits guards them.
type flights struct {
	urgent int
	news   bool
	jobs   map[string]bool // spoken of in an urgent one
	words  int             // events in urgent ones
	bytes  int             // of those
}

// flight is one of them.
type flight struct {
	batch  []bus.Event
	from   *queue
	urgent bool
}

// set marks the jobs of a flight as being spoken of, or not any more.
func (a *flights) set(f flight, aloft bool) {
	if a.jobs == nil {
		a.jobs = map[string]bool{}
	}
	sign := 1
	if !aloft {
		sign = -1
	}
	for _, e := range f.batch {
		a.words += sign
		a.bytes += sign * size(e)
		if aloft {
			a.jobs[JobOf(e.Tag)] = true
		} else {
			delete(a.jobs, JobOf(e.Tag))
		}
	}
}
