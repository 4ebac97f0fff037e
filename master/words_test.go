package master

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// The reports of a job on the bus and in its history, over two mom tiers and one stock tier, do
// not change by a byte: other programs and other versions read them.
func TestReportsOfAJobStayAsTheyAre(t *testing.T) {
	const adopted = "20240102030405678902"
	r := newRig(t, func(c *config.Master) { c.OrderMasters, c.PublishRetention, c.SyndicWait = true, 0, time.Millisecond })
	r.opts.Parent = returners.DestAbove
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	m2 := r.minion("m2", "minion", "minion").listen().announce()
	m2.mute()
	eventually(t, "m2 gone", func() bool { return r.live("m2") != engine.Up })
	n1 := r.minion("n1", "syndic", "syndic").listen().announce()
	py := r.minion("py", "syndic", "minion2")
	py.must(bulk("syndic/py", event("salt/syndic/py/start", wire.NewMap())))
	events := r.events()

	r.say(testJob([]any{"a", "b", "c", "d", "e", "m1", "m2", "p"}, "list", "jid", someJob))
	expects := func(minions []any, ours *wire.Map) *wire.Map {
		return event(someJob, wire.NewMap("minions", minions, "jid", someJob, "mom", ours))
	}
	n1.must(bulk("syndic/n1",
		expects([]any{"a", "b"}, wire.NewMap("node", "", "asked", []any{"n2"}, "unreachable", wire.NewMap("b", engine.NotConnected))),
		expects([]any{"c"}, wire.NewMap("node", "n2", "asked", []any{}, "unreachable", wire.NewMap(), "untracked", true, "partial", true)),
		expects([]any{"c"}, wire.NewMap("node", "n2", "asked", []any{}, "unreachable", wire.NewMap())),
		expects([]any{"p"}, wire.NewMap("plain", true, "node", "n2/n3"))))
	py.must(bulk("syndic/py",
		event(someJob, wire.NewMap("minions", []any{"d", "e"}, "_stamp", "2026-01-02T03:04:05.678901")),
		event("salt/job/"+someJob+"/new", wire.NewMap("jid", someJob, "tgt_type", "glob", "tgt", "*", "user", "root",
			"fun", "test.ping", "arg", []any{}, "minions", []any{"d", "e"}, "missing", []any{}))))
	gone := wire.NewMap("a", wire.NewMap("reason", engine.NoResponse, "path", ""), "c", wire.NewMap("reason", engine.NotRunning, "path", "n2"))
	n1.must(bulk("syndic/n1", event("salt/job/"+someJob+"/missing", wire.NewMap("jid", someJob, "missing", gone,
		"nodes", wire.NewMap("n2/n4", "refused: "+strings.Repeat("é", 400), "", "silent"), "from", "n2"))))
	n1.must(syndicReturn("n1", someJob, "p"))
	py.must(syndicReturn("py", someJob, "d", "e"))
	if err := m1.answer(someJob, true); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end", func() bool { _, over := r.LastReport(someJob); return over })
	r.guest("minion").listen().announce(adopted)
	eventually(t, "word of the guest", func() bool { return slices.Contains(events.tags(), adopted) })

	var said strings.Builder
	note := func(from string, e bus.Event) {
		if strings.HasSuffix(e.Tag, "/complete") {
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			d.Set("seconds", 1.5)
			if e.Data, err = wire.Encode(d); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&said, "%s %s %q\n", from, e.Tag, e.Data)
	}
	for _, e := range events.rest() {
		if !e.Copy && !strings.Contains(e.Tag, "/ret/") && (strings.HasPrefix(e.Tag, "2024") || strings.HasPrefix(e.Tag, "salt/job/")) {
			note("fired", e)
		}
	}
	for e := range r.Reports(someJob, 1) {
		note("reported", e)
	}
	b, err := os.ReadFile("../internal/jobevent/testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := strings.Cut(string(b), "answered ") // the forwarder's part follows
	// Other events are not delayed by reports.
	if diff := cmp.Diff(lines(want), lines(said.String())); diff != "" {
		t.Error(diff)
	}
}

// lines returns the sorted lines of a text.
func lines(text string) []string {
	out := strings.Split(text, "\n")
	slices.Sort(out)
	return out
}
