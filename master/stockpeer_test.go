package master

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// stock plays a minion of Python's Salt: it subscribes without an identity, announces
// nothing, and passes over a jid that it has seen since its start.
type stock struct {
	*channel.Channel
	t    testing.TB
	id   string
	pub  string        // where it subscribes
	back time.Duration // from the end of its connection to the next

	mu    sync.Mutex
	seen  map[string]bool
	ran   []string // what it ran, but for find_job
	asked int      // how often it was asked who it is, or what it runs
	mute  bool     // its answers get lost
	hang  bool     // its jobs do not end
	deaf  bool     // what is published is still in the master's queue for it

	stop context.CancelFunc
	done chan struct{}
}

// stock makes one that is accepted, signs in, connects, and tells that it has started.
func (r *rig) stock(id, key string) *stock {
	r.t.Helper()
	s := r.stockless(id, key)
	r.connect(s)
	return s
}

// stockless makes one that is signed in and has not connected.
func (r *rig) stockless(id, key string) *stock {
	r.t.Helper()
	m := r.minion(id, "minion", key)
	s := &stock{Channel: m.Channel, t: r.t, id: id, pub: fmt.Sprintf("127.0.0.1:%d", r.pub), back: 20 * time.Millisecond, seen: map[string]bool{}}
	r.t.Cleanup(s.kill)
	return s
}

// connect subscribes one that is signed in.
func (r *rig) connect(s *stock) {
	r.t.Helper()
	before := r.stats.Subscribed.Load()
	s.subscribe()
	eventually(r.t, s.id+" subscribed", func() bool { return r.stats.Subscribed.Load() > before })
}

func (s *stock) subscribe() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.done = cancel, make(chan struct{})
	sub := zmtp.NewSub(s.pub, zmtp.DialConfig{BackoffMin: s.back, BackoffMax: s.back, Log: quiet}, []string{""})
	var busy sync.WaitGroup
	go func() {
		defer close(s.done)
		defer busy.Wait()
		_ = sub.Run(ctx, func(frames [][]byte) {
			p, err := s.open(ctx, frames[len(frames)-1])
			if err != nil {
				return
			}
			if value, run := s.take(p); run {
				busy.Go(func() {
					ctx, cancel := context.WithTimeout(ctx, patience)
					defer cancel()
					_ = s.Return(ctx, returnOf(s.id, p.JID, value))
				})
			}
		})
	}()
}

// open opens a publication as Salt's minions do, which take one without a serial.
func (s *stock) open(ctx context.Context, body []byte) (wire.Publication, error) {
	p, err := s.OpenPublication(ctx, body)
	if !errors.Is(err, channel.ErrReplayed) {
		return p, err
	}
	env, bad := wire.ParseEnvelope(body)
	if bad != nil {
		return p, bad
	}
	now, _ := s.Current()
	key, bad := crypt.ParseKey(now.AES)
	if bad != nil {
		return p, bad
	}
	plain, bad := key.Open(env.Cipher)
	if bad != nil {
		return p, bad
	}
	if p, bad = wire.ParsePublication(plain); bad != nil || p.HasSerial {
		return p, err
	}
	return p, nil
}

// take runs a publication if it is for this minion and new; run is false if there is
// nothing to return.
func (s *stock) take(p wire.Publication) (value any, run bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if tgt, err := wire.Decode(p.Tgt); err != nil || !meansMe(tgt, s.id) || s.seen[p.JID] {
		return nil, false
	}
	if s.deaf && wire.FunName(p.Fun) != "saltutil.find_job" {
		return nil, false
	}
	s.seen[p.JID] = true
	if wire.FunName(p.Fun) == "saltutil.find_job" {
		s.asked++
		return wire.NewMap(), !s.mute
	}
	s.ran = append(s.ran, p.JID)
	return true, !s.hang && !s.mute
}

func meansMe(tgt any, id string) bool {
	switch t := tgt.(type) {
	case string:
		return t == "*" || t == id
	case []any:
		for _, v := range t {
			if v == id {
				return true
			}
		}
	}
	return false
}

// kill ends its connection and all that it has not returned.
func (s *stock) kill() {
	if s.stop != nil {
		s.stop()
		<-s.done
		s.stop = nil
	}
}

// runs counts how often it ran a job.
func (s *stock) runs(jid string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, have := range s.ran {
		if have == jid {
			n++
		}
	}
	return n
}

// questions counts how often it was asked who it is, or what it runs.
func (s *stock) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}
