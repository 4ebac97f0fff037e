package findjob

import (
	"container/heap"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"
)

// How often a connection that does not say who it is is asked again, after the first
// question. A minion answers when it has started, its pillar and modules loaded; the
// question waits for that in its socket, so most of these are for answers that were
// lost. The last one stands for all further.
var askAgain = []time.Duration{30 * time.Second, 2 * time.Minute, 8 * time.Minute, 30 * time.Minute, time.Hour}

const (
	// settleFor is how long a new connection is left alone: its subscriptions may not
	// all be here.
	settleFor = 100 * time.Millisecond
	// prompt is the time within which an answer tells that there is room for more
	// questions; one that takes longer does not count against the window any more.
	prompt = 2 * time.Second
	// whileBusy is the time between questions while minions wait to sign in: some 2 %
	// of a processor, so that no herd, and no peer that signs in without end, keeps
	// the others unknown.
	whileBusy = 50 * time.Millisecond
	// The number of questions under way: one more for each prompt answer, one less
	// for each that does not come.
	firstWindow = 32
	leastWindow = 8
)

// WhoOptions set up a [Who].
type WhoOptions struct {
	// JID makes a new job id.
	JID func() string
	// Secret marks the job ids of questions, so that their answers are known after a
	// restart too. It must be the same then.
	Secret []byte
	// Ask publishes a find_job under that jid to one connection alone.
	Ask func(conn uint64, jid string) error
	// Window is how many questions may be under way. Default 256.
	Window int
	// Busy tells that minions wait to sign in. A question costs a signature as a
	// sign-in does, and nobody waits for it: meanwhile one goes out each
	// [whileBusy]. nil: never.
	Busy func() bool
	// Off asks nobody. Answers to questions of before are known all the same.
	Off bool
}

// Who asks connections that announce nothing who they are. A stock minion answers a
// publication by a return with its own, authenticated id, so a find_job that goes to
// one connection alone, under a jid that nobody can guess, tells who hangs there,
// behind whatever network. In a herd the questions are spread: as many are under way
// as are answered promptly.
type Who struct {
	o   WhoOptions
	key []byte

	mu     sync.Mutex
	conns  map[uint64]*asked
	byJID  map[string]uint64
	queue  askQueue
	flying []flight // in the order in which they were asked
	under  int      // of these: neither answered nor late
	window int
	last   time.Time // of the last question
	wake   chan struct{}
}

// asked is one connection.
type asked struct {
	conn  uint64
	due   time.Time
	at    int // in the queue; -1: it is not there
	tries int
	jids  []string // of the last questions
	named bool
}

type flight struct {
	a   *asked
	try int
	at  time.Time
}

// keptQuestions is for how many questions to one connection a late answer counts.
const keptQuestions = 3

// NewWho makes one that asks once it runs.
func NewWho(o WhoOptions) *Who {
	if o.Window <= 0 {
		o.Window = 256
	}
	key := sha256.Sum256(append([]byte("who is there\x00"), o.Secret...))
	return &Who{
		o: o, key: key[:], conns: map[uint64]*asked{}, byJID: map[string]uint64{},
		window: min(firstWindow, o.Window), wake: make(chan struct{}, 1),
	}
}

// Add has a connection asked.
func (w *Who) Add(conn uint64) {
	if w.o.Off {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns[conn] != nil {
		return
	}
	a := &asked{conn: conn, due: time.Now().Add(settleFor)}
	w.conns[conn] = a
	heap.Push(&w.queue, a)
	if a.at == 0 {
		w.stir()
	}
}

// Remove forgets a connection.
func (w *Who) Remove(conn uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.conns[conn]
	if a == nil {
		return
	}
	delete(w.conns, conn)
	for _, jid := range a.jids {
		delete(w.byJID, jid)
	}
	w.done(a)
}

// done asks a connection no more. The caller holds mu.
func (w *Who) done(a *asked) {
	if a.named {
		return
	}
	a.named = true
	if a.at >= 0 {
		heap.Remove(&w.queue, a.at)
	}
	w.stir()
}

// Asked tells whether a jid is that of such a question, of this life or another.
func (w *Who) Asked(jid string) bool {
	stamp, mark, ok := strings.Cut(jid, "_")
	return ok && hmac.Equal([]byte(mark), []byte(w.mark(stamp)))
}

// Answered gives the connection over which a question was asked that has an answer
// now; ok is false when it is gone.
func (w *Who) Answered(jid string) (conn uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	conn, ok = w.byJID[jid]
	if a := w.conns[conn]; ok && !a.named {
		for _, f := range w.flying {
			if f.a == a && f.try == a.tries {
				w.window = min(w.window+1, w.o.Window)
			}
		}
		w.done(a)
	}
	return conn, ok
}

// Question gives the jid of a question asked at the moment that the 20 digits of
// stamp tell. Nobody without the secret can make one.
func (w *Who) Question(stamp string) string { return stamp + "_" + w.mark(stamp) }

// mark is what no peer can make for a jid: 16 digits.
func (w *Who) mark(stamp string) string {
	h := hmac.New(sha256.New, w.key)
	h.Write([]byte(stamp))
	return fmt.Sprintf("%016d", binary.BigEndian.Uint64(h.Sum(nil))%1e16)
}

// Run asks until ctx ends.
func (w *Who) Run(ctx context.Context) {
	if w.o.Off {
		return
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		a, jid, wait := w.next()
		if a == nil {
			timer.Reset(wait)
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
			case <-timer.C:
			}
			continue
		}
		_ = w.o.Ask(a.conn, jid) // it has gone, or is slow: it is asked again if it stays
		if ctx.Err() != nil {
			return
		}
	}
}

// next picks who is asked now, or tells how long there is nothing to do.
func (w *Who) next() (a *asked, jid string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.land(now)
	if len(w.queue) == 0 {
		return nil, "", time.Hour
	}
	if wait = w.queue[0].due.Sub(now); wait > 0 {
		return nil, "", wait
	}
	if w.under >= w.window {
		return nil, "", w.flying[0].at.Add(prompt).Sub(now)
	}
	//mutant:sign-ins-before-questions
	if wait = w.last.Add(whileBusy).Sub(now); wait > 0 && w.o.Busy != nil && w.o.Busy() {
		return nil, "", wait
	}
	w.last = now
	a = w.queue[0]
	stamp, _, _ := strings.Cut(w.o.JID(), "_")
	jid = w.Question(stamp)
	a.due = now.Add(askAgain[min(a.tries, len(askAgain)-1)])
	heap.Fix(&w.queue, a.at)
	a.tries++
	if a.jids = append(a.jids, jid); len(a.jids) > keptQuestions {
		delete(w.byJID, a.jids[0])
		a.jids = a.jids[1:]
	}
	w.byJID[jid] = a.conn
	w.flying = append(w.flying, flight{a, a.tries, now})
	w.under++
	return a, jid, 0
}

// land counts the questions under way: those that are answered are not, and of
// others the window shrinks.
func (w *Who) land(now time.Time) {
	rest := w.flying[:0]
	for _, f := range w.flying {
		switch {
		case f.a.named:
		case now.Sub(f.at) >= prompt:
			w.window = max(w.window-1, min(leastWindow, w.o.Window))
		default:
			rest = append(rest, f)
		}
	}
	clear(w.flying[len(rest):])
	w.flying, w.under = rest, len(rest)
}

// stir wakes the runner. The caller holds mu.
func (w *Who) stir() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// askQueue orders connections by when they are asked.
type askQueue []*asked

func (q askQueue) Len() int           { return len(q) }
func (q askQueue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q askQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

func (q *askQueue) Push(x any) {
	a := x.(*asked)
	a.at = len(*q)
	*q = append(*q, a)
}

func (q *askQueue) Pop() any {
	old := *q
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	a.at = -1
	return a
}
