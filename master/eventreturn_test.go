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

// eventKeeper is an event database that reports what it stores.
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

// kept receives the events stored in the database of the running test.
var kept = make(chan returners.Event, 1024)

func init() {
	returners.Register(returners.Driver{Name: "test-keeper", Store: true, Events: true, Doc: "Passes events to a test.", Open: func(ctx context.Context, o returners.Options) (returners.Saver, error) {
		s, err := sqlite.Open(ctx, sqlite.Options{Path: o.Values["test-keeper"].(string), Log: o.Log})
		return &eventKeeper{s, kept}, err
	}})
}

// Each event selected by event_return reaches the database once, with its stamp. That includes
// events fired right before the end, which are stored after a restart.
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
		// again reports a second delivery: events interrupted by a restart are sent again with the
		// same key, which a database recognizes.
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
		expect("my/one", "my/two", "salt/three", "my/four") // the last event of a queue is sent after a short delay
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

// presence_events fires, each loop_interval, who is present and who came and went.
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
