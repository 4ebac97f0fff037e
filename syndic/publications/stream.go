package publications

import (
	"context"
	"errors"
	"sync"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/link"
)

const (
	// inboxSize bounds the unopened publications of one parent. When it is full the subscription is
	// not read, and the parent detects a slow reader.
	inboxSize = 1024
	// Publishing bounds the jobs of one parent being published on the local master at a time.
	Publishing = 16
)

// Stream processes the publications of one parent.
type Stream struct {
	o         Options
	publisher publisher
	inbox     chan []byte // raw publications in order of arrival
	tail      channel.Tail
	fetch     chan struct{}                      // wakes catchUp
	missed    chan wire.Publication              // fetched publications
	handed    *lru.Map[returners.Part, struct{}] // jobs that were started here
}

// New returns a Stream; Run starts it.
func New(o Options) *Stream {
	s := &Stream{
		o: o, inbox: make(chan []byte, inboxSize), fetch: make(chan struct{}, 1), missed: make(chan wire.Publication),
		handed: lru.New[returners.Part, struct{}](o.Remember),
	}
	s.publisher = publisher{o: &s.o, offers: make(chan struct{}, Offering)}
	s.tail.Refused = s.decline
	return s
}

// Take queues a raw publication. It blocks while the inbox is full.
func (s *Stream) Take(ctx context.Context, frame []byte) {
	select {
	case s.inbox <- frame:
	case <-ctx.Done():
	}
}

// Tail tracks which publications were received.
func (s *Stream) Tail() *channel.Tail { return &s.tail }

// Fetch starts fetching missed publications.
func (s *Stream) Fetch() { link.Signal(s.fetch) }

// Waiting returns the number of unopened publications, and of queued jobs that wait for the local
// master.
func (s *Stream) Waiting() (unopened, offered int) { return len(s.inbox), len(s.publisher.offers) }

// Run processes publications until ctx ends.
func (s *Stream) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { s.catchUp(ctx) })
	s.open(ctx)
	wg.Wait()
}

// open decrypts publications in order, since an older serial counts as a replay, and starts their
// jobs in that order. A slow job delays only later ones of the same jid.
func (s *Stream) open(ctx context.Context) {
	slots := make(chan struct{}, Publishing)
	order := newLanes()
	var wg sync.WaitGroup
	defer wg.Wait()
	questions := &answerer{o: &s.o, busy: &wg, slots: make(chan struct{}, maxAnswering)}
	for {
		var p wire.Publication
		select {
		case <-ctx.Done():
			return
		case p = <-s.missed:
		case body := <-s.inbox:
			var err error
			if p, err = s.o.Channel.OpenPublication(ctx, body); err != nil {
				if ctx.Err() == nil {
					s.o.Log.Warn("publication from parent not decrypted", "jid", p.JID, "err", err)
					//mutant:node-reports-declined-jobs
					s.decline(p, err)
				}
				continue
			}
			if s.tail.Note(p) {
				s.Fetch()
			}
		}
		if n, is := nodecall.ReadChange(p); is {
			if n.What == sibling.Changed {
				s.o.Siblings(n.Within)
			}
			continue
		}
		if questions.take(ctx, p) {
			continue
		}
		if !s.belongsHere(p) {
			continue
		}
		s.handed.Add(returners.PartIn(p), struct{}{})
		first, second := s.o.Learn(ctx, p.JID, p.MasterID)
		if tops := jobfields.Tops(p); len(tops) > 0 && s.o.Share != nil {
			//mutant:node-reports-to-all-tops
			s.o.Share(p.JID, tops, !first)
		}
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		before, leave := order.enter(p.JID)
		wg.Go(func() {
			release := sync.OnceFunc(func() { <-slots })
			defer release()
			defer leave()
			if before != nil {
				<-before
			}
			again := second || first && !s.o.Backfill(ctx, p.JID)
			s.publisher.publish(ctx, p, release)
			if again { // after the note of it is stored
				s.o.BackfillSoon(p.JID)
			}
		})
	}
}

// decline reports to the parent that this node does not run a job, since the parent waits for it. A
// publication that could not be decrypted may be fetched as a missed one.
func (s *Stream) decline(p wire.Publication, why error) {
	switch {
	case errors.Is(why, channel.ErrReplayed):
	case jid.Valid(p.JID) && s.belongsHere(p):
		if _, asks := p.Extra.Get(nodecall.Field); !asks {
			s.o.Push(events.Refused(p.JID, why))
		}
	case p.JID == "":
		s.Fetch()
	}
}

// belongsHere reports whether this node runs a publication. It does not run a parent's questions to
// minions, which a mom master answers itself, nor this node's own job that came back.
func (s *Stream) belongsHere(p wire.Publication) bool {
	if p.Extra != nil {
		if v, ok := p.Extra.Get("mom_probe"); ok {
			if raw, _ := v.(wire.Raw); wire.Truth(raw) && !s.o.Questions {
				return false
			}
		}
	}
	own := s.o.OwnMaster
	return own == "" || own != p.MasterID
}
