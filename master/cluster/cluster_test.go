package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// pair is the key of every top; other is another one.
var pair, other = newPair(), newPair()

func newPair() *crypt.KeyPair {
	k, err := crypt.NewKeyPair(2048)
	if err != nil {
		panic(err)
	}
	return k
}

// peer is another top.
type peer struct {
	mu    sync.Mutex
	id    string
	key   *crypt.KeyPair
	gone  bool
	slow  time.Duration
	full  bool     // it cannot store jobs at the moment
	asked int      // how often it was asked to
	heard []string // jids
}

func (p *peer) Addr() string { return "two:4506" }
func (p *peer) Close() error { return nil }
func (p *peer) Current() (channel.Result, bool) {
	return channel.Result{MasterPub: p.key.PublicPEM}, true
}

func (p *peer) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	p.mu.Lock()
	gone, slow := p.gone, p.slow
	p.mu.Unlock()
	if gone {
		return nil, errors.New("connection refused")
	}
	if load.String("cmd") == helloCommand {
		return wire.Encode(wire.NewMap("node", p.id, "cluster", "c", "version", "1", "keys", digestOf(nil)))
	}
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked++; p.full {
		return wire.Encode(wire.NewMap("error", "disk is full", "later", true))
	}
	p.heard = append(p.heard, load.String("jid"))
	return wire.Encode(wire.NewMap("taken", true))
}

func (p *peer) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *peer) jids() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.heard, " ")
}

// book holds admitted tops.
type book []string

func (b book) Top(id string) bool                  { return slices.Contains(b, id) }
func (b book) Tops() []string                      { return slices.Clone(b) }
func (b book) Sum(string) (crypt.FingerSum, error) { return crypt.SumKey(&pair.Private.PublicKey), nil }

func job(n int) (jid string, load *wire.Map) {
	jid = fmt.Sprint(n)
	return jid, wire.NewMap("jid", jid)
}

func share(s *Service, n int) (took time.Duration) {
	began := time.Now()
	jid, load := job(n)
	s.Share(context.Background(), jid, load)
	return time.Since(began)
}

// keysOf returns the records of a top without keys.
func keysOf(dir string) *Keys {
	return OpenKeys(KeysOptions{PkiDir: dir, Node: "one", Store: noKeys{}, Own: func(string) bool { return false }, Age: time.Now, Log: slog.New(slog.DiscardHandler)})
}

type noKeys struct{}

func (noKeys) Has(keys.State, string) bool                { return false }
func (noKeys) List(keys.State) []string                   { return nil }
func (noKeys) Print(keys.Selection) ([]keys.Shown, error) { return nil, nil }
func (noKeys) Refresh(string)                             {}

// run starts a cluster of this top, one, with another.
func run(t *testing.T, p *peer, admitted book, test func(s *Service)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{
			ID: "c", Node: "one", Version: "1", Channels: []Channel{p}, Roles: admitted, Keys: admitted, Jobs: &shelf{},
			Sync: keysOf(dir), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		synctest.Wait()
		test(s)
		cancel()
		<-done
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A job reaches the other top before Share returns. A slow top delays it by 300 ms at most, one that
// is away not at all; both get it later.
func TestShare(t *testing.T) {
	p := &peer{id: "two", key: pair}
	run(t, p, book{"two"}, func(s *Service) {
		if got := strings.Join(s.Names(), " "); got != "one two" {
			t.Errorf("names %q", got)
		}
		if took := share(s, 1); took != 0 || p.jids() != "1" {
			t.Errorf("took %v, heard %q", took, p.jids())
		}
		p.set(func() { p.slow = time.Second })
		if took := share(s, 2); took != shareWait || p.jids() != "1" {
			t.Errorf("slow: took %v, heard %q", took, p.jids())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if p.jids() != "1 2" {
			t.Errorf("heard %q", p.jids())
		}
		p.set(func() { p.gone, p.slow = true, 0 })
		time.Sleep(helloEvery)
		synctest.Wait()
		if st := s.Status()[0]; st.Up || st.ID != "two" || !strings.Contains(st.Why, "refused") {
			t.Errorf("status %+v", st)
		}
		if got := s.Problems(); len(got) != 1 || !strings.Contains(got[0].Detail, "top two of the cluster is not connected") {
			t.Errorf("problems %v", got)
		}
		if took := share(s, 3); took != 0 || s.Status()[0].Behind != 1 {
			t.Errorf("away: took %v, status %+v", took, s.Status()[0])
		}
		p.set(func() { p.gone = false })
		time.Sleep(helloEvery)
		synctest.Wait()
		if st := s.Status()[0]; p.jids() != "1 2 3" || !st.Up || st.Behind != 0 {
			t.Errorf("heard %q, status %+v", p.jids(), st)
		}
	})
}

// A top that cannot store a job at the moment gets it once it can, after the next hello. One that never
// can is not asked for ever.
func TestShare_Full(t *testing.T) {
	p := &peer{id: "two", key: pair, full: true}
	run(t, p, book{"two"}, func(s *Service) {
		if took := share(s, 1); took != 0 || s.Status()[0].Behind != 1 {
			t.Errorf("took %v, status %+v", took, s.Status()[0])
		}
		time.Sleep(2 * helloEvery)
		synctest.Wait()
		if p.asked != 3 {
			t.Errorf("asked %d times", p.asked)
		}
		p.set(func() { p.full = false })
		time.Sleep(helloEvery)
		synctest.Wait()
		if st := s.Status()[0]; p.jids() != "1" || !st.Up || st.Behind != 0 {
			t.Errorf("heard %q, status %+v", p.jids(), st)
		}
		p.set(func() { p.full, p.asked = true, 0 })
		share(s, 2)
		time.Sleep((maxTries + 10) * helloEvery)
		synctest.Wait()
		if st := s.Status()[0]; p.asked != maxTries || st.Behind != 0 || st.Dropped != 1 {
			t.Errorf("asked %d times, status %+v", p.asked, st)
		}
	})
}

// The requests that wait for a top are bounded: the oldest goes.
func TestShare_Bound(t *testing.T) {
	p := &peer{id: "two", key: pair, gone: true}
	run(t, p, book{"two"}, func(s *Service) {
		for range maxWaiting + 3 { // all about one job, so in one lane
			share(s, 7)
		}
		if st := s.Status()[0]; st.Behind != maxWaiting || st.Dropped != 3 {
			t.Errorf("behind %d, dropped %d", st.Behind, st.Dropped)
		}
	})
}

// A top is connected only if both sides have admitted each other and it has the admitted key.
func TestAdmission(t *testing.T) {
	for name, c := range map[string]struct {
		peer     *peer
		admitted book
		why      string
	}{
		"not admitted here": {&peer{id: "two", key: pair}, nil, "mom node admit --top two"},
		"another key":       {&peer{id: "two", key: other}, book{"two"}, "not the admitted key of two"},
		"the same id":       {&peer{id: "one", key: pair}, book{"one"}, "the same id"},
		"no cluster":        {&peer{id: "", key: pair}, book{"two"}, "without cluster_peers"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, c.peer, c.admitted, func(s *Service) {
				share(s, 1)
				if st := s.Status()[0]; st.Up || !strings.Contains(st.Why, c.why) || c.peer.jids() != "" {
					t.Errorf("status %+v, heard %q", st, c.peer.jids())
				}
			})
		})
	}
	run(t, &peer{id: "two", key: pair}, book{"two"}, func(s *Service) {
		if err := s.Admits("two"); err != nil {
			t.Error(err)
		}
		if err := s.Admits("three"); err == nil || !strings.Contains(err.Error(), "mom node admit --top three") {
			t.Error(err)
		}
		if got := s.Problems(); len(got) != 1 || !strings.Contains(got[0].Detail, "top three asks") {
			t.Errorf("problems %v", got)
		}
		time.Sleep(2 * strangerFor)
		if got := s.Problems(); len(got) != 0 {
			t.Errorf("problems %v", got)
		}
	})
}
