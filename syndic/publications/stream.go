package publications

import (
	"context"
	"errors"
	"sync"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/pace"
)

const (
	// inboxSize is how many publications of one parent may wait to be opened.
	// When it is full the subscription is not read any more, and the parent
	// notices a slow reader.
	inboxSize = 1024
	// Publishing is how many jobs of one parent are handed to the local master
	// at the same time.
	Publishing = 16
)

// Stream is what one master above publishes.
type Stream struct {
	o         Options
	publisher publisher
	inbox     chan []byte // publications in the order in which they came
	tail      channel.Tail
	fetch     chan struct{}                      // some were missed
	missed    chan wire.Publication              // and fetched
	handed    *lru.Map[returners.Part, struct{}] // jobs that were begun to be handed on
}

// New makes a stream in which nothing has come.
func New(o Options) *Stream {
	s := &Stream{
		o: o, inbox: make(chan []byte, inboxSize), fetch: make(chan struct{}, 1), missed: make(chan wire.Publication),
		handed: lru.New[returners.Part, struct{}](o.Remember),
	}
	s.publisher = publisher{o: &s.o, offers: make(chan struct{}, Offering)}
	s.tail.Refused = s.decline
	return s
}

// Take is given a publication as it came. It waits while too many are unopened.
func (s *Stream) Take(ctx context.Context, frame []byte) {
	select {
	case s.inbox <- frame:
	case <-ctx.Done():
	}
}

// Tail is how far publications were heard.
func (s *Stream) Tail() *channel.Tail { return &s.tail }

// Fetch has those fetched that were missed.
func (s *Stream) Fetch() { pace.Ring(s.fetch) }

// Waiting tells how many publications are unopened, and how many queued jobs wait until
// the local master takes them.
func (s *Stream) Waiting() (unopened, offered int) { return len(s.inbox), len(s.publisher.offers) }

// Run takes what the parent publishes until ctx ends.
func (s *Stream) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { s.catchUp(ctx) })
	s.open(ctx)
	wg.Wait()
}

// open opens what the parent publishes, in its order, since an older
// serial counts as a replay, and begins to hand each job on in that order. A job
// that takes long holds up only what comes after it under the same jid.
func (s *Stream) open(ctx context.Context) {
	slots := make(chan struct{}, Publishing)
	order := newLanes()
	var wg sync.WaitGroup
	defer wg.Wait()
	questions := &answerer{o: &s.o, busy: &wg, slots: make(chan struct{}, answering)}
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
		if n, is := nodecall.ReadNews(p); is {
			if n.What == sibling.News {
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
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		before, leave := order.enter(p.JID)
		wg.Go(func() {
			giveBack := sync.OnceFunc(func() { <-slots })
			defer giveBack()
			defer leave()
			if before != nil {
				<-before
			}
			again := second || first && !s.o.Early(ctx, p.JID)
			s.publisher.publish(ctx, p, giveBack)
			if again { // once it is stored that this is owed
				s.o.Again(p.JID)
			}
		})
	}
}

// decline tells the parent of a job that is not taken: it waits for this node. What
// could not be read at all may be fetched, as if it had been missed.
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

// belongsHere leaves out what the parent asks minions that this node looks after
// itself, and this node's own job that came back to it.
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
