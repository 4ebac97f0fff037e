package master

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
)

// eventKeeper is a database that tells what it is given.
type eventKeeper struct {
	returners.Returner
	got chan returners.Event
}

func (k *eventKeeper) SaveEvents(ctx context.Context, es []returners.Event) error {
	if err := k.Returner.SaveEvents(ctx, es); err != nil {
		return err
	}
	for _, e := range es {
		k.got <- e
	}
	return nil
}

// kept is where the database of the running test tells what it is given.
var kept = make(chan returners.Event, 1024)

func init() {
	returners.Register(returners.Driver{Name: "test-keeper", Store: true, Doc: "Tells a test.", Open: func(ctx context.Context, o returners.Options) (returners.Saver, error) {
		s, err := sqlite.Open(ctx, sqlite.Options{Path: o.Values["test-keeper"].(string), Log: o.Log})
		return &eventKeeper{s, kept}, err
	}})
}

// Each event of the bus that event_return wants reaches the database once, with
// its stamp, also those fired right before the end and taken up after a restart.
func TestEventReturn(t *testing.T) {
	for _, queue := range []int{0, 3} {
		r := newRig(t, func(c *config.Master) {
			c.EventReturn, c.EventReturnQueue = []string{"test-keeper"}, queue
			c.EventReturnWhitelist, c.EventReturnBlacklist = []string{"my/*", "salt/.*"}, []string{"my/secret/*"}
			c.Raw = map[string]any{"test-keeper": filepath.Join(t.TempDir(), "events.db")}
		})
		r.start()
		fire := func(tags ...string) {
			for _, tag := range tags {
				r.fire(tag, wire.NewMap("of", tag))
			}
		}
		keys := map[string]string{} // to the tag of its event
		// again tells of a second delivery: what a restart comes between is sent
		// once more under the same key, which a database knows.
		again := func(e returners.Event) bool { return e.Key != "" && keys[e.Key] == e.Tag }
		expect := func(tags ...string) {
			t.Helper()
			for _, tag := range tags {
				e := <-kept
				for again(e) {
					e = <-kept
				}
				d, err := wire.DecodeMap(e.Data)
				if err != nil || e.Tag != tag || d.String("of") != tag || len(d.String("_stamp")) != 26 || e.MasterID != "top" {
					t.Fatalf("kept %+v with %#v, %v; want %s", e, d, err, tag)
				}
				if keys[e.Key] != "" {
					t.Errorf("the key %s was used twice", e.Key)
				}
				keys[e.Key] = e.Tag
			}
		}
		fire("my/one", "other", "my/secret/x", "my/two", "salt/three", "my/four")
		expect("my/one", "my/two", "salt/three", "my/four") // the last one of a queue waits for a moment only
		fire("my/five", "my/six")
		r.restart()
		fire("my/seven")
		expect("my/five", "my/six", "my/seven")
		r.stop()
		for len(kept) > 0 {
			if e := <-kept; !again(e) {
				t.Errorf("kept besides: %+v", e)
			}
		}
	}
}

// presence_events tells each loop_interval who is there, and who came and went.
func TestPresenceEvents(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.PresenceEvents, c.LoopInterval = true, 10*time.Millisecond })
	r.start()
	events := r.events()
	m := r.minion("m1", "minion", "minion").listen().announce()
	d := events.take("salt/presence/change")
	if !cmp.Equal(d.List("new"), []any{"m1"}) || len(d.List("lost")) != 0 {
		t.Errorf("change %#v", d)
	}
	events.find("presence of m1", func(e bus.Event) bool {
		d, err := wire.DecodeMap(e.Data)
		return e.Tag == "salt/presence/present" && err == nil && cmp.Equal(d.List("present"), []any{"m1"})
	})
	m.mute()
	d = events.take("salt/presence/change")
	if !cmp.Equal(d.List("lost"), []any{"m1"}) {
		t.Errorf("change %#v", d)
	}
}
