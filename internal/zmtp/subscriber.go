package zmtp

import (
	"fmt"
	"slices"

	"github.com/go-zeromq/zmq4"
)

const cmdSubscribe = zmq4.CmdSubscribe

// Bounds for the subscriptions of one subscriber.
const (
	maxTopics       = 64
	maxTopic        = 256
	maxSubscription = 1 + maxTopic
)

// subscriber is a peer of a Pub. Its reader changes its topics, under the shard's lock.
type subscriber struct {
	peer   *Peer
	shard  *shard
	topics []string
	at     int    // index in shard.subs, while there are topics
	mark   uint64 // the last fan-out that reached it
}

// add adds a subscription; false means that it existed already.
func (s *subscriber) add(topic string) (bool, error) {
	if len(topic) > maxTopic {
		return false, fmt.Errorf("%w: topic of %d bytes, at most %d are allowed", ErrSubscription, len(topic), maxTopic)
	}
	if slices.Contains(s.topics, topic) {
		return false, nil
	}
	if len(s.topics) == maxTopics {
		return false, fmt.Errorf("%w: more than %d topics", ErrSubscription, maxTopics)
	}
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	s.topics = append(s.topics, topic)
	s.shard.insert(s, topic)
	return true, nil
}

// cancel removes a subscription, if it exists.
func (s *subscriber) cancel(topic string) {
	i := slices.Index(s.topics, topic)
	if i < 0 {
		return
	}
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	s.topics = slices.Delete(s.topics, i, i+1)
	s.shard.remove(s, topic)
}

func (s *subscriber) cancelAll() {
	for len(s.topics) > 0 {
		s.cancel(s.topics[len(s.topics)-1])
	}
}
