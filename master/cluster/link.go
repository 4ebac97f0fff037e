package cluster

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

const (
	// helloEvery is the time between two hellos. Requests that wait are sent after the next one.
	helloEvery = time.Second
	// helloSlow replaces it after more than patience failures in a row.
	helloSlow = 5 * time.Second
	patience  = 30
	// answerWithin bounds the wait for an answer.
	answerWithin = 3 * time.Second
	// lanes is the number of requests in flight. Requests about one job share a lane, in order.
	lanes = 8
)

// Status is the state of a link.
type Status struct {
	Addr string
	// ID and Version are those of the other top, "" before its first answer.
	ID, Version string
	Up          bool
	// Since is when Up changed last.
	Since time.Time
	// Why is why it is not connected.
	Why string
	// Behind is the number of requests that wait for it, Dropped how many were dropped for room.
	Behind  int
	Dropped uint64
}

func (s Status) name() string {
	if s.ID == "" {
		return "at " + s.Addr
	}
	return s.ID
}

// link is the connection to another top.
type link struct {
	s     *Service
	ch    Channel
	lanes [lanes]*lane

	mu    sync.Mutex
	state Status

	// Of the goroutine that says hello.
	digest   string // of the records of keys, at the last hello
	differ   int    // hellos in a row that found others at the other top
	sentKeys time.Time
}

func newLink(s *Service, ch Channel) *link {
	l := &link{s: s, ch: ch, state: Status{Addr: ch.Addr(), Since: s.o.Now(), Why: "not asked yet"}}
	for i := range l.lanes {
		l.lanes[i] = newLane()
	}
	return l
}

// push queues a request and reports whether it is sent now.
func (l *link) push(r *request) (now bool) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.jid)) // never fails
	l.lanes[h.Sum32()%lanes].push(r)
	return l.up()
}

func (l *link) up() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Up
}

func (l *link) status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	st := l.state
	for _, a := range l.lanes {
		waiting, dropped := a.size()
		st.Behind += waiting
		st.Dropped += dropped
	}
	return st
}

func (l *link) run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, a := range l.lanes {
		wg.Go(func() { a.run(ctx, l.up, l.send) })
	}
	for failed := 0; ; failed++ {
		if l.hello(ctx) {
			failed = 0
		}
		wait := helloEvery
		if failed > patience { // it may wait for an operator for days
			wait = helloSlow
		}
		if timing.Sleep(ctx, wait) != nil {
			break
		}
	}
	wg.Wait()
}

// hello asks the other top whether it is there, and wakes the requests that wait for it.
func (l *link) hello(ctx context.Context) (up bool) {
	id, version, digest, err := l.greet(ctx)
	if ctx.Err() != nil {
		return false
	}
	l.set(id, version, err)
	if err != nil {
		return false
	}
	l.compareKeys(digest)
	for _, a := range l.lanes {
		a.ring()
	}
	return true
}

func (l *link) greet(ctx context.Context) (id, version, digest string, err error) {
	d, err := l.ask(ctx, wire.NewMap("cmd", helloCommand, "cluster", l.s.o.ID, "version", l.s.o.Version))
	if err != nil {
		return "", "", "", err
	}
	id, version, digest = d.String("node"), d.String("version"), d.String("keys")
	switch text := d.String("error"); {
	case text != "":
		return id, version, "", errors.New(text)
	case id == "":
		return "", "", "", errors.New("it answers as a master without cluster_peers")
	case id == l.s.o.Node:
		return "", "", "", errors.New("it has the same id as this top; give each its own `id`")
	case !l.s.o.Roles.Top(id):
		return id, version, "", fmt.Errorf("it is not admitted here; run here: mom node admit --top %s", id)
	}
	return id, version, digest, l.checkKey(id)
}

// checkKey returns an error if the master at the other end does not have the admitted key of id.
func (l *link) checkKey(id string) error {
	r, ok := l.ch.Current()
	if !ok {
		return errors.New("not signed in")
	}
	pub, err := crypt.ParsePublicPEM(r.MasterPub)
	if err != nil {
		return fmt.Errorf("read key of top %s: %w", id, err)
	}
	want, err := l.s.o.Keys.Sum(id)
	if err != nil {
		return fmt.Errorf("read accepted key of top %s: %w", id, err)
	}
	//mutant:top-has-its-admitted-key
	if crypt.SumKey(pub) != want {
		return fmt.Errorf("its master key is not the admitted key of %s", id)
	}
	return nil
}

// ask sends a request and decodes the answer.
func (l *link) ask(ctx context.Context, load *wire.Map) (*wire.Map, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	v, err := l.ch.Request(ctx, load)
	if err != nil {
		return nil, err
	}
	d, err := wire.DecodeMap(v)
	if err != nil {
		return nil, fmt.Errorf("answer of the top at %s: %w", l.ch.Addr(), err)
	}
	return d, nil
}

// send sends a request. again reports that it must be sent again, after the next hello.
func (l *link) send(ctx context.Context, r *request) (again bool) {
	d, err := l.ask(ctx, r.load)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		l.set("", "", err)
		return true
	case d.String("error") != "" && d.Has("later"):
		if r.full++; r.full == 1 || r.full == maxTries {
			l.s.o.Log.Warn("other top cannot store a job", "master", l.status().name(), "jid", r.jid, "count", r.full, "reason", d.String("error"))
		}
		return true
	case d.String("error") != "":
		l.s.o.Log.Warn("other top refuses a job", "master", l.status().name(), "jid", r.jid, "reason", d.String("error"))
	}
	return false
}

// set records the outcome of a request. An empty id keeps the known one.
func (l *link) set(id, version string, err error) {
	l.mu.Lock()
	was := l.state.Up
	if id != "" {
		l.state.ID, l.state.Version = id, version
	}
	l.state.Up, l.state.Why = err == nil, ""
	if err != nil {
		l.state.Why = err.Error()
	}
	if was != l.state.Up {
		l.state.Since = l.s.o.Now()
	}
	name := l.state.name()
	l.mu.Unlock()
	switch {
	case err == nil && !was:
		l.s.o.Log.Info("other top connected", "master", name, "addr", l.ch.Addr())
	case err != nil && was:
		l.s.o.Log.Warn("other top lost", "master", name, "addr", l.ch.Addr(), "err", err)
	}
}
