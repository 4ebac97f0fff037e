package master

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
)

// stocks starts n stock minions of a master in another process.
func (m *mortal) stocks(n int) []*stock {
	m.t.Helper()
	out := make([]*stock, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range out {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = m.stock(fmt.Sprintf("s%04d", i), time.Duration(20+i)*time.Millisecond)
		})
	}
	wg.Wait()
	m.t.Cleanup(func() {
		for _, s := range out {
			if s != nil {
				s.kill()
				_ = s.Close()
			}
		}
	})
	if m.t.Failed() {
		m.t.FailNow()
	}
	return out
}

func (m *mortal) stock(id string, back time.Duration) *stock {
	pki := filepath.Join(m.dir, "peers", id)
	channeltest.WriteKeys(m.t, pki, "minion", "minion")
	ch, err := channel.New(channel.Config{
		ID: id, Role: "minion", PkiDir: pki, Host: "127.0.0.1", Port: m.cfg.RetPort, Log: quiet,
		Dial:        zmtp.DialConfig{BackoffMin: 5 * time.Millisecond, BackoffMax: 50 * time.Millisecond, Log: quiet},
		AuthTimeout: patience, ReturnTries: 10, ReturnTimeout: 5 * time.Second, ReturnTimeoutMax: 10 * time.Second,
	})
	if err != nil {
		m.t.Error(err)
		return nil
	}
	s := &stock{Channel: ch, t: m.t, id: id, pub: fmt.Sprintf("127.0.0.1:%d", m.cfg.PublishPort), back: back, seen: map[string]bool{}}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := s.SignIn(ctx); err != nil {
		m.t.Error(err)
	}
	s.subscribe()
	return s
}

// A master is killed right after it stored or published a job, or while half of its minions have
// run it. Stock minions cannot ask for missed jobs, so each receives the job when its next
// connection is identified. It runs once, and every return arrives. Size: 200 minions, half of
// which had not received it when the master died.
func TestStock_MasterKilledAfterPublication(t *testing.T) {
	const n = 200
	for name, kill := range map[string]float64{"stored": -1, "the first has run it": 0, "all that heard it have run it": 0.49} {
		t.Run(name, func(t *testing.T) {
			m := newMortal(t)
			m.start()
			all := m.stocks(n)
			ran := func(job string) (sum int) {
				for _, s := range all {
					sum += s.runs(job)
				}
				return sum
			}
			eventually(t, "all asked who they are", func() bool {
				for _, s := range all {
					if s.questions() == 0 {
						return false
					}
				}
				return true
			})
			job := jid.NewGenerator(time.Now, 0).Next()
			if kill < 0 {
				m.trigger()
			}
			hearing := func(on bool) {
				for i, s := range all {
					s.mu.Lock()
					s.deaf = !on && i%2 == 1
					s.mu.Unlock()
				}
			}
			hearing(false)
			if _, err := m.publish(client.Job{Tgt: "*", Fun: []string{"test.ping"}, JID: job}); (err == nil) != (kill >= 0) {
				t.Fatal(err)
			}
			if kill >= 0 {
				eventually(t, "as many have run it", func() bool { return ran(job) > int(kill*n) })
			}
			m.kill()
			hearing(true)
			m.start()
			eventually(t, "all have run it", func() bool { return ran(job) >= n })
			eventually(t, "the job is over", func() bool { return len(m.notes(returners.NoteOpen)) == 0 })
			for _, s := range all {
				if times := s.runs(job); times != 1 {
					t.Errorf("%s ran it %d times", s.id, times)
				}
			}
			m.kill()
			store, err := sqlite.Open(t.Context(), sqlite.Options{Path: m.cfg.JobStoreFile, Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			rets, err := store.GetReturns(t.Context(), job)
			if err != nil || len(rets) != n {
				t.Errorf("%d returns of %d, %v", len(rets), n, err)
			}
		})
	}
}

// A stock minion started after it may have run a job does not receive it again; one that was
// disconnected when it was published does.
func TestStock_ReceivesOnlyWhatItCannotHaveForgotten(t *testing.T) {
	r := newRig(t, reconnectIn(5*time.Second))
	r.start()
	restarted, away := r.stock("restarted", "minion"), r.stock("away", "minion")
	restarted.hang = true
	for _, s := range []*stock{restarted, away} {
		eventually(t, s.id+" known", func() bool { return r.peers.Minion(s.id).Live == engine.Up })
	}
	away.kill()
	eventually(t, "it away", func() bool { return r.peers.Minion("away").Live == engine.Away })
	events := r.events()
	job := r.say(testJob("*", "glob")).Map("load").String("jid")
	eventually(t, "the job at one of them", func() bool { return restarted.runs(job) == 1 })
	for _, s := range []*stock{restarted, away} { // both restart: they forget all and sign in
		s.kill()
		s.mu.Lock()
		s.seen, s.hang = map[string]bool{}, false
		s.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, err := s.SignIn(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		r.connect(s)
	}
	d := events.take("salt/job/" + job + "/complete")
	if d.Int("returned") != 1 || d.Map("absent").Map("restarted") == nil {
		t.Errorf("complete %v", plain(t, d))
	}
	if restarted.runs(job) != 1 || away.runs(job) != 1 {
		t.Errorf("runs: %d by the restarted, %d by the one that was away", restarted.runs(job), away.runs(job))
	}
}
