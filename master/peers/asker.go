package peers

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

// askAgain is how long to wait before asking an unnamed connection again. A minion answers when it
// has started and its pillar and modules are loaded. The question waits in its socket until then,
// so most repeats replace lost answers. The last one applies to all further repeats.
var askAgain = []time.Duration{30 * time.Second, 2 * time.Minute, 8 * time.Minute, 30 * time.Minute, time.Hour}

const (
	// settleFor is how long a new connection is not asked, as its subscriptions may be
	// incomplete.
	settleFor = 100 * time.Millisecond
	// prompt is the time within which an answer widens the window. A question without an
	// answer by then leaves the window.
	prompt = 2 * time.Second
	// whileBusy is the time between questions while minions wait to sign in. It costs some
	// 2 % of a processor, so that endless sign-ins cannot keep minions unidentified.
	whileBusy = 50 * time.Millisecond
	// The window of questions in flight grows by one for each prompt answer, and shrinks by
	// one for each missing one.
	firstWindow = 32
	leastWindow = 8
)

// WhoOptions configure a [Who].
type WhoOptions struct {
	// JID makes a new job id.
	JID func() string
	// Secret authenticates the jids of questions. Keep it over restarts, so that later
	// answers are recognized.
	Secret []byte
	// Ask publishes a find_job with that jid to one connection.
	Ask func(conn uint64, jid string) error
	// Window is the largest number of questions in flight. Default 256.
	Window int
	// Busy reports whether minions wait to sign in. A question costs a signature, like a
	// sign-in, and is less urgent: meanwhile one is sent each [whileBusy]. nil means never.
	Busy func() bool
	// Off disables questions. Answers to earlier questions are still recognized.
	Off bool
}

// Who asks connections without a session for the id behind them. A stock minion answers a
// publication with a return under its authenticated id. So a find_job sent to one connection, with
// a jid that cannot be guessed, identifies its minion. A window limits the questions in flight to
// what is answered promptly. It is safe for concurrent use.
type Who struct {
	o   WhoOptions
	key []byte

	mu       sync.Mutex
	conns    map[uint64]*asked
	byJID    map[string]uint64
	queue    askQueue
	inFlight []flight // oldest first
	pending  int      // how many of them are neither answered nor late
	window   int
	last     time.Time // when the last question was sent
	wake     chan struct{}
}

// asked is the state of one connection.
type asked struct {
	conn  uint64
	due   time.Time
	at    int // index in the queue, or -1
	tries int
	jids  []string // of the last questions
	named bool
}

type flight struct {
	a   *asked
	try int
	at  time.Time
}

// keptQuestions is how many questions to a connection may still be answered.
const keptQuestions = 3

// NewWho returns a Who. It asks while Run runs.
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

// Add schedules a question to a connection.
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
		w.wakeUp()
	}
}

// Remove removes a closed connection.
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

// done stops asking a connection. The caller holds mu.
func (w *Who) done(a *asked) {
	if a.named {
		return
	}
	a.named = true
	if a.at >= 0 {
		heap.Remove(&w.queue, a.at)
	}
	w.wakeUp()
}

// Asked reports whether a jid is that of a question, of this process or an earlier one.
func (w *Who) Asked(jid string) bool {
	stamp, mark, ok := strings.Cut(jid, "_")
	return ok && hmac.Equal([]byte(mark), []byte(w.mark(stamp)))
}

// Answered returns the connection of an answered question. ok is false if it is closed.
func (w *Who) Answered(jid string) (conn uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	conn, ok = w.byJID[jid]
	if a := w.conns[conn]; ok && !a.named {
		for _, f := range w.inFlight {
			if f.a == a && f.try == a.tries {
				w.window = min(w.window+1, w.o.Window)
			}
		}
		w.done(a)
	}
	return conn, ok
}

// Question returns the jid of a question; stamp is its first 20 digits. It cannot be made without
// the secret.
func (w *Who) Question(stamp string) string { return stamp + "_" + w.mark(stamp) }

// mark returns the 16 digits that authenticate a jid.
func (w *Who) mark(stamp string) string {
	h := hmac.New(sha256.New, w.key)
	h.Write([]byte(stamp))
	return fmt.Sprintf("%016d", binary.BigEndian.Uint64(h.Sum(nil))%1e16)
}

// Run sends questions until ctx ends.
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
		_ = w.o.Ask(a.conn, jid) // after an error it is asked again, if still open
		if ctx.Err() != nil {
			return
		}
	}
}

// next returns the connection to ask now, or how long to wait.
func (w *Who) next() (a *asked, jid string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.reap(now)
	if len(w.queue) == 0 {
		return nil, "", time.Hour
	}
	if wait = w.queue[0].due.Sub(now); wait > 0 {
		return nil, "", wait
	}
	if w.pending >= w.window {
		return nil, "", w.inFlight[0].at.Add(prompt).Sub(now)
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
	w.inFlight = append(w.inFlight, flight{a, a.tries, now})
	w.pending++
	return a, jid, 0
}

// reap removes answered and late questions from flight. Late ones shrink the window. The caller
// holds mu.
func (w *Who) reap(now time.Time) {
	rest := w.inFlight[:0]
	for _, f := range w.inFlight {
		switch {
		case f.a.named:
		case now.Sub(f.at) >= prompt:
			w.window = max(w.window-1, min(leastWindow, w.o.Window))
		default:
			rest = append(rest, f)
		}
	}
	clear(w.inFlight[len(rest):])
	w.inFlight, w.pending = rest, len(rest)
}

// wakeUp wakes Run. The caller holds mu.
func (w *Who) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// askQueue orders connections by when they are due.
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
