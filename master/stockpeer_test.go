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

// stock simulates a stock minion: it subscribes without an identity, announces nothing, and ignores
// a jid it has seen since its start.
type stock struct {
	*channel.Channel
	t    testing.TB
	id   string
	pub  string        // where it subscribes
	back time.Duration // delay before reconnecting

	mu    sync.Mutex
	seen  map[string]bool
	ran   []string // jobs it ran, except find_job
	asked int      // how often it was asked who it is, or what it runs
	mute  bool     // its answers get lost
	hang  bool     // its jobs do not end
	deaf  bool     // what is published is still in the master's queue for it

	stop context.CancelFunc
	done chan struct{}
}

// stock returns an accepted minion that signs in, connects, and fires its start event.
func (r *rig) stock(id, key string) *stock {
	r.t.Helper()
	s := r.stockless(id, key)
	r.connect(s)
	return s
}

// stockless returns a minion that is signed in and has not connected.
func (r *rig) stockless(id, key string) *stock {
	r.t.Helper()
	m := r.minion(id, "minion", key)
	s := &stock{Channel: m.Channel, t: r.t, id: id, pub: fmt.Sprintf("127.0.0.1:%d", r.pub), back: 20 * time.Millisecond, seen: map[string]bool{}}
	r.t.Cleanup(s.kill)
	return s
}

// connect subscribes a signed-in minion.
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

// open decrypts a publication like Salt's minions, which accept one without a serial.
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

// take runs a publication if it is new and for this minion. run is false if there is nothing to
// return.
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

// kill closes its connection and drops everything it has not returned.
func (s *stock) kill() {
	if s.stop != nil {
		s.stop()
		<-s.done
		s.stop = nil
	}
}

// runs returns how often it ran a job.
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

// questions returns how often it was asked for its id or its running jobs.
func (s *stock) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}
