package standalone

import (
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// recorded returns the events of a job as fired by a Salt 3008.2 master.
func recorded(tb testing.TB) (events []bus.Event) {
	tb.Helper()
	var file struct {
		Lower []struct {
			Tag   string `json:"tag"`
			Frame []byte `json:"frame"`
		} `json:"lower"`
	}
	vectors.Load(tb, "live_3008_events.json", &file)
	for _, e := range file.Lower {
		var event bus.Event
		err := wire.Fields(e.Frame, func(key string, val wire.Raw) error {
			if key != "body" {
				return nil
			}
			body, err := wire.Bytes(val)
			if err == nil {
				event, err = bus.ParseEvent(body, time.Time{})
			}
			return err
		})
		if err != nil || event.Tag != e.Tag {
			tb.Fatalf("frame of %s: %q, %v", e.Tag, event.Tag, err)
		}
		events = append(events, event)
	}
	return events
}

// A Salt 3008 master names the minions only in the event of the new job.
func TestExpectationOfSalt3008(t *testing.T) {
	s := startSalt(t, bus.Bare)
	l, _ := s.open()
	sub := l.Bus().Subscribe(bus.SubscribeOptions{})
	events := recorded(t)
	jid, _, _, _ := jobevent.Parse(events[0].Tag)
	for _, e := range events {
		if err := s.bus.FireEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	var words []string
	for e := range sub.C() {
		id, kind, rest, _ := jobevent.Parse(e.Tag)
		if id != jid {
			continue
		}
		words = append(words, map[jobevent.Kind]string{jobevent.KindExpectation: "expectation", jobevent.KindNew: "new", jobevent.KindComplete: "complete", jobevent.KindPublication: "publish"}[kind]+rest)
		if kind == jobevent.KindComplete {
			break
		}
		if kind != jobevent.KindExpectation {
			continue
		}
		x, err := jobevent.DecodeExpectation(id, e.Data)
		if err != nil || !x.Ours || !x.Untracked || !slices.Equal(x.Minions, []string{"s8p", "s8r", "d-01", "d-02"}) {
			t.Errorf("expectation %+v, %v", x, err)
		}
	}
	if want := []string{"expectation", "new", "publish", "complete"}; !slices.Equal(words, want) {
		t.Errorf("fired %q, want %q", words, want)
	}
}

// Salt 3008 publishes each slice of a batch under the same jid; 3006 names the minions twice.
func TestNewEventsAddToTheExpectation(t *testing.T) {
	s := startSalt(t, bus.Length)
	l, _ := s.open()
	sub := l.Bus().Subscribe(bus.SubscribeOptions{})
	slice := func(minions ...any) {
		s.fire("salt/job/"+job1+"/new", "jid", job1, "tgt_type", "list", "tgt", minions, "user", "root", "fun", "test.ping",
			"arg", []any{}, "minions", minions, "missing", []any{})
	}
	var reported [][]string
	hear := func() {
		for e := range sub.C() {
			if e.Tag == job1 {
				d, err := e.Map()
				if err != nil {
					t.Fatal(err)
				}
				reported = append(reported, d.Strings("minions"))
			}
			if e.Tag == "salt/job/"+job1+"/new" {
				return
			}
		}
	}
	s.published(job1, "a")
	hear()
	slice("b", "c")
	hear()
	slice("c")
	hear()
	if want := [][]string{{"a"}, {"a", "b", "c"}}; !slices.EqualFunc(reported, want, slices.Equal) {
		t.Errorf("reported %v, want %v", reported, want)
	}
	s.returned(job1, "a")
	s.returned(job1, "c")
	waiting.Until(t, "the rows", func() bool { return len(pending(t, l)) == 2 })
	if open := l.OpenJobs("", 10); len(open) != 1 {
		t.Errorf("open %v while b is out", open)
	}
	s.returned(job1, "b")
	waiting.Until(t, "the end of the job", func() bool { return len(l.OpenJobs("", 10)) == 0 })
}
