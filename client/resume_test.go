package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// cache is the job cache of a fake master.
type cache struct {
	mu      sync.Mutex
	returns map[string]wire.Raw
	done    *wire.Map
	pages   int
}

func (c *cache) put(t testing.TB, id string, value any) {
	t.Helper()
	raw, err := wire.Encode(wire.NewMap("cmd", "_return", "id", id, "jid", jobID, "return", value, "fun", "test.ping", "fun_args", []any{}))
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returns[id] = raw
}

// page answers job_page with up to 500 returns.
func (c *cache) page(load *wire.Map) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages++
	var ids []string
	for id := range c.returns {
		if id > load.String("after") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = ids[:min(len(ids), 500)]
	page, last := []any{}, load.String("after")
	for _, id := range ids {
		page, last = append(page, []byte(c.returns[id])), id
	}
	out := wire.NewMap("returns", page, "last", last, "more", len(ids) > 0)
	if c.done != nil && load.String("after") == "" {
		out.Set("complete", c.done.Clone())
	}
	return out
}

func cached(m *fakeMaster) *cache {
	c := &cache{returns: map[string]wire.Raw{}}
	m.answer = func(load *wire.Map) any {
		if load.String("cmd") == "job_page" {
			return c.page(load)
		}
		return wire.NewMap("load", wire.NewMap("jid", jobID, "minions", []any{}, "missing", []any{}, "nodes", []any{}))
	}
	return c
}

// A reader that pauses, as in `salt … | less`, is disconnected from the event bus and still gets
// each return once, and the end. The returns, more than the queues on both sides hold, arrive at
// 30,000 a second, as fast as a master stores them. The reader pauses after the hundredth until the
// job is over, or twice.
func TestReaderThatPausesMissesNothing(t *testing.T) {
	const many, large = 3 * maxWaiting, 20_000
	for _, c := range []struct {
		name    string
		n, size int
		pauses  []int // numbers of updates: pause after each until as many more are stored
	}{{"until the end", many, 100, []int{many}}, {"large results", large, 4000, []int{large}}, {"twice", large, 4000, []int{large / 2, large}}} {
		t.Run(c.name, func(t *testing.T) {
			n := c.n
			m := startMaster(t)
			store := cached(m)
			f, err := m.client().Follow(within(t), ping("*"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			text := string(make([]byte, c.size))
			there, wait := 0, sync.NewCond(&sync.Mutex{})
			go func() {
				at := time.Now()
				for i := range n {
					id := fmt.Sprintf("web-%05d", (i*7919)%n) // not in the order of their ids
					store.put(t, id, text)
					m.returns(id, text)
					if i == n-1 {
						done := wire.NewMap("jid", jobID, "expected", n, "returned", n, "failed", 0, "seconds", 1.0)
						store.mu.Lock()
						store.done = done
						store.mu.Unlock()
						m.fire("salt/job/"+jobID+"/complete", "jid", jobID, "expected", n, "returned", n, "failed", 0, "seconds", 1.0)
					}
					wait.L.Lock()
					there++
					wait.L.Unlock()
					wait.Broadcast()
					if i%500 == 0 { // one commit
						time.Sleep(time.Until(at.Add(time.Duration(i) * time.Second / 30000)))
					}
				}
			}()
			seen := map[string]int{}
			pauses := c.pauses
			for {
				u, err := f.Next(within(t))
				if err != nil {
					t.Fatalf("after %d: %v", len(seen), err)
				}
				if u.Complete != nil {
					if u.Complete.Returned != n {
						t.Errorf("the account says %+v", u.Complete)
					}
					break
				}
				if u.Return != nil {
					if seen[u.Return.ID]++; seen[u.Return.ID] > 1 {
						t.Fatalf("%s comes twice", u.Return.ID)
					}
				}
				if len(seen) >= 100 && len(pauses) > 0 {
					wait.L.Lock()
					for there < pauses[0] {
						wait.Wait()
					}
					wait.L.Unlock()
					pauses = pauses[1:]
				}
			}
			store.mu.Lock()
			pages := store.pages
			store.mu.Unlock()
			if len(seen) != n || pages == 0 {
				t.Errorf("%d of %d were given; %d pages were read", len(seen), n, pages)
			}
		})
	}
}

// Without a job cache a lost bus is final.
func TestReaderThatIsCutOffWithoutACache(t *testing.T) {
	m := startMaster(t)
	f, err := m.client().Follow(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_ = f.subscriber.Close()
	m.change(func() {
		m.answer = func(*wire.Map) any {
			return wire.NewMap("error", wire.NewMap("name", "SaltInvocationError", "message", "job_page: results are not kept (job_cache: False)"))
		}
	})
	if _, err := f.Next(within(t)); !errors.Is(err, ErrBusLost) || !strings.Contains(err.Error(), "results are not kept") || !strings.Contains(err.Error(), "lookup_jid "+jobID) {
		t.Errorf("%v", err)
	}
}
