package batches

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

const jobID = "20260102030405678901"

// world is a master with simulated minions. It runs in a synctest bubble and uses its time.
type world struct {
	t   *testing.T
	dir string
	me  string
	*Service
	bus    *bus.Bus
	cancel context.CancelFunc
	ran    chan struct{}
	events *bus.Subscription

	mu       sync.Mutex
	slices   []string       // what was published, "a,b"
	named    []string       // whom the stored job names
	codes    map[string]int // stored returns
	gone     map[string]jobevent.Absence
	killed   []string
	refusing error // error of publications
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(), me: "one", codes: map[string]int{}, gone: map[string]jobevent.Absence{}}
	w.open()
	return w
}

// open starts the master.
func (w *world) open() {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel, w.bus, w.ran = cancel, bus.New(nil), make(chan struct{})
	w.events = w.bus.Subscribe(bus.SubscribeOptions{Prefix: batchstate.TagPrefix, Size: 4096})
	w.Service = New(Options{
		Ctx: ctx, Cachedir: w.dir, HashType: "sha256", Keep: true, Bus: w.bus, Me: w.me, Publish: w.publish,
		Kill: func(_ context.Context, _ string, ids []string) error { w.killed = append(w.killed, ids...); return nil },
		Published: func(context.Context, string) ([]string, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.Clone(w.named), nil
		},
		Returned: func(_ context.Context, _, id string) (int, bool, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			code, ok := w.codes[id]
			return code, ok, nil
		},
		Account: func(string) (map[string]jobevent.Absence, bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return maps.Clone(w.gone), w.isOpen()
		},
		Fire: func(tag string, data *wire.Map) { _ = w.bus.Fire(tag, data) },
		Log:  slog.New(slog.DiscardHandler), Now: time.Now,
	})
	sub := w.Listen()
	go func() {
		w.Run(ctx, sub)
		close(w.ran)
	}()
	synctest.Wait()
}

// close stops the master.
func (w *world) close() {
	w.cancel()
	<-w.ran
	w.Service.Close()
	w.events.Close()
	w.bus.Close()
}

func (w *world) isOpen() bool {
	return slices.ContainsFunc(w.named, func(id string) bool {
		_, returned := w.codes[id]
		_, gone := w.gone[id]
		return !returned && !gone
	})
}

func (w *world) publish(_ context.Context, st *batchstate.State, ids []string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refusing != nil {
		return "", w.refusing
	}
	for _, id := range ids {
		if slices.Contains(w.named, id) {
			w.t.Errorf("%s received the job twice", id)
		}
	}
	w.named = append(w.named, ids...)
	w.slices = append(w.slices, strings.Join(ids, ","))
	return jobID, nil
}

// start starts a batch on a, b, c, …
func (w *world) start(minions int, size string, change ...func(*Start)) {
	w.t.Helper()
	o := Start{Size: size, Fun: raw(w.t, "test.ping"), Arg: raw(w.t, []any{}), Tgt: "*", TgtType: "glob", User: "root", Timeout: 5, Gather: 10, By: batchstate.By{Owner: "root"}}
	for i := range minions {
		o.Minions = append(o.Minions, string(rune('a'+i)))
	}
	for _, f := range change {
		f(&o)
	}
	m, err := w.Start(w.t.Context(), o)
	if err != nil || m.String("jid") != jobID {
		w.t.Fatalf("started as %v, %v", m, err)
	}
	synctest.Wait()
}

func raw(t testing.TB, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// returns stores returns of minions.
func (w *world) returns(code int, ids ...string) {
	for _, id := range ids {
		w.mu.Lock()
		w.codes[id] = code
		over := !w.isOpen()
		w.mu.Unlock()
		_ = w.bus.Fire(jobevent.TagReturn(jobID, id), wire.NewMap("id", id, "retcode", code))
		if over {
			_ = w.bus.Fire(jobevent.TagComplete(jobID), wire.NewMap("jid", jobID))
		}
	}
	synctest.Wait()
}

// dies reports a minion as missing.
func (w *world) dies(ids ...string) {
	for _, id := range ids {
		w.mu.Lock()
		w.gone[id] = jobevent.Absence{Reason: "No response"}
		w.mu.Unlock()
		_ = w.bus.Fire("salt/job/"+jobID+"/missing", wire.NewMap("jid", jobID, "minions", []any{id}))
	}
	synctest.Wait()
}

// published checks all slices so far.
func (w *world) published(want ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.slices, want) {
		w.t.Errorf("published %v, want %v", w.slices, want)
	}
}

// status checks completed, active, pending, failed and how the batch ended.
func (w *world) status(want string) {
	w.t.Helper()
	m, err := w.Status(jobID)
	if m == nil || err != nil {
		w.t.Fatalf("status %v, %v", m, err)
	}
	got := fmt.Sprintf("%d %d %d %d", m.Int("completed"), m.Int("active"), m.Int("pending"), m.Int("failed"))
	if m.Bool("halted") {
		got += " " + m.String("halted_reason")
	}
	if got != want {
		w.t.Errorf("status %q, want %q", got, want)
	}
	// Salt's own runner reads a state that is at most a second old.
	time.Sleep(2 * time.Second)
	synctest.Wait()
	f, err := w.files.read(jobID)
	if err != nil || f == nil {
		w.t.Fatalf("on disk: %v, %v", f, err)
	}
	if m, _ := w.Status(jobID); len(f.Done) != int(m.Int("completed")) || len(f.Active) != int(m.Int("active")) || f.Halted != m.Bool("halted") {
		w.t.Errorf("on disk %+v, status %v", f, m)
	}
}

// fired returns the actions of the events so far, without consecutive repetitions.
func (w *world) fired() []string {
	var out []string
	for {
		select {
		case e := <-w.events.C():
			_, action := batchstate.ReadTag(e.Tag)
			if len(out) == 0 || out[len(out)-1] != action {
				out = append(out, action)
			}
		default:
			return out
		}
	}
}

var errRefused = errors.New("refused")
