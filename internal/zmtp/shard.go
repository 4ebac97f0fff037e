package zmtp

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A shard takes at most this much at once and writes it to each subscriber in one call.
const (
	shardQueue = 64
	batchBytes = 64 << 10
)

// publication is one encoded message.
type publication struct {
	topic string
	wire  []byte
	to    *Choice // nil means everybody
}

// shard publishes to a part of the subscribers. It never waits for them.
type shard struct {
	pub *Pub
	in  chan publication
	out atomic.Uint64 // publications that have been fanned out

	mu      sync.Mutex
	subs    []*subscriber                       // with at least one topic
	byTopic map[string]map[*subscriber]struct{} // by exact subscription
	round   uint64
}

func newShard(p *Pub) *shard {
	return &shard{
		pub:     p,
		in:      make(chan publication, shardQueue),
		byTopic: make(map[string]map[*subscriber]struct{}),
	}
}

// insert and remove maintain the index; s.mu is held.
func (s *shard) insert(sub *subscriber, topic string) {
	if len(sub.topics) == 1 {
		sub.at = len(s.subs)
		s.subs = append(s.subs, sub)
	}
	set := s.byTopic[topic]
	if set == nil {
		set = make(map[*subscriber]struct{})
		s.byTopic[topic] = set
	}
	set[sub] = struct{}{}
}

func (s *shard) remove(sub *subscriber, topic string) {
	if set := s.byTopic[topic]; len(set) == 1 {
		delete(s.byTopic, topic)
	} else {
		delete(set, sub)
	}
	if len(sub.topics) == 0 {
		last := len(s.subs) - 1
		s.subs[sub.at] = s.subs[last]
		s.subs[sub.at].at = sub.at
		s.subs[last] = nil
		s.subs = s.subs[:last]
	}
}

func (s *shard) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.subs)
}

// run publishes messages until the socket closes.
func (s *shard) run() {
	var batch []publication
	for {
		select {
		case <-s.pub.host.stop:
			return
		case m := <-s.in:
			batch = s.gather(append(batch[:0], m))
			for run := batch; len(run) > 0; {
				n := sameTopic(run)
				s.publish(run[0], join(run[:n]), n)
				s.out.Add(uint64(n))
				run = run[n:]
			}
			clear(batch)
		}
	}
}

// gather adds queued publications to the batch, without waiting.
func (s *shard) gather(batch []publication) []publication {
	for size := len(batch[0].wire); len(batch) < shardQueue && size < batchBytes; {
		select {
		case m := <-s.in:
			batch = append(batch, m)
			size += len(m.wire)
		default:
			return batch
		}
	}
	return batch
}

// sameTopic counts the leading publications that go to the same peers.
func sameTopic(b []publication) int {
	n := 1
	for n < len(b) && b[n].topic == b[0].topic && b[n].to == nil && b[0].to == nil {
		n++
	}
	return n
}

func join(b []publication) []byte {
	if len(b) == 1 {
		return b[0].wire
	}
	n := 0
	for _, m := range b {
		n += len(m.wire)
	}
	wire := make([]byte, 0, n)
	for _, m := range b {
		wire = append(wire, m.wire...)
	}
	return wire
}

// publish sends n messages, joined in wire, to their subscribers. Looking up each prefix of the
// topic costs the length of the topic, regardless of the number of subscribers.
func (s *shard) publish(m publication, wire []byte, n int) {
	topic, it := m.topic, item{wire: wire, messages: n}
	s.mu.Lock()
	defer s.mu.Unlock()
	if topic == "" {
		for _, sub := range s.subs {
			if m.to.has(sub.peer) {
				s.give(sub, it)
			}
		}
		return
	}
	s.round++
	for i := range len(topic) + 1 {
		for sub := range s.byTopic[topic[:i]] {
			if sub.mark != s.round && m.to.has(sub.peer) {
				sub.mark = s.round
				s.give(sub, it)
			}
		}
	}
}

func (s *shard) give(sub *subscriber, it item) {
	switch err := sub.peer.out.put(it); {
	case err == nil:
		s.pub.delivered.Add(uint64(it.messages))
	case errors.Is(err, ErrSlow):
		s.pub.dropped.Add(uint64(it.messages))
		if s.pub.cfg.Slow == CutSlow {
			sub.peer.close(err)
		}
	default:
		sub.peer.close(err) // its reader removes it from the shard
	}
}
