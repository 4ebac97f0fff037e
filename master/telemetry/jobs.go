package telemetry

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

const (
	// tallyQueue limits the events waiting to be counted.
	tallyQueue = 20_000
	// tallyFunctions limits the functions counted by name: users choose the names.
	tallyFunctions = 300
	// otherFunction stands for all functions beyond that.
	otherFunction = "other"
)

// Jobs counts jobs and returns by function, from the event bus. A master without metrics_listen
// does not count at all; one with it counts in a separate goroutine.
type Jobs struct {
	jobs, expected, returns, scheduled *metrics.Tally
	outcomes, reasons, answers         *metrics.Tally
	seconds                            *metrics.Histogram
	missed                             atomic.Uint64
}

// NewJobs returns Jobs with all counts at zero.
func NewJobs() *Jobs {
	t := &Jobs{
		jobs: metrics.NewTally(tallyFunctions, otherFunction, ""), expected: metrics.NewTally(tallyFunctions, otherFunction, ""),
		returns:   metrics.NewTally(2*tallyFunctions, otherFunction, "", "true"),
		scheduled: metrics.NewTally(2*tallyFunctions, otherFunction, "", "true"),
		outcomes:  metrics.NewTally(3, ""), reasons: metrics.NewTally(len(knownReasons())+1, "other"), answers: metrics.NewTally(2, ""),
		seconds: metrics.NewHistogram(0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600),
	}
	for _, o := range []string{"returned", "failed", "missing"} {
		t.outcomes.Add(0, o)
	}
	for _, r := range append(knownReasons(), "other") {
		t.reasons.Add(0, r)
	}
	t.answers.Add(0, "true")
	t.answers.Add(0, "false")
	return t
}

func knownReasons() []string {
	return []string{
		engine.NoResponse, engine.NotConnected, engine.NotRunning, engine.NodeDown, engine.NodeNoResponse, engine.NodeRefused, engine.Unknown, engine.ResourcesReturn,
		engine.UnmatchedGrains, engine.UnmatchedPillar, engine.UnmatchedBoth,
	}
}

// Run counts events until ctx ends or the bus is closed.
func (t *Jobs) Run(ctx context.Context, b *bus.Bus) {
	sub := b.Subscribe(bus.SubscribeOptions{
		Prefix: jobevent.Prefix, Size: tallyQueue, DropWhenFull: true,
		Match: func(e bus.Event) bool {
			_, kind, _, _ := jobevent.Parse(e.Tag)
			return kind == jobevent.KindNew || kind == jobevent.KindComplete || kind == jobevent.KindReturn
		},
	})
	defer sub.Close()
	dropped := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return // the bus is closed
			}
			t.count(e)
			if n := sub.Dropped(); n > dropped {
				t.missed.Add(n - dropped)
				dropped = n
			}
		}
	}
}

// count counts one event. It ignores unexpected ones, which come from other programs.
func (t *Jobs) count(e bus.Event) {
	if e.Copy {
		return
	}
	switch id, kind, _, _ := jobevent.Parse(e.Tag); {
	case kind == jobevent.KindReturn:
		t.countReturn(e.Data)
	case e.Origin != "": // the account of a node below
	case kind == jobevent.KindNew:
		if n, err := jobevent.DecodeNew(id, e.Data); err == nil {
			fun, _ := n.Fun.(string)
			args, _ := n.Arg.([]any)
			t.jobs.Add(1, fun, stateOf(fun, args))
		}
	case kind == jobevent.KindComplete:
		if c, err := jobevent.DecodeComplete(id, e.Data); err == nil {
			t.countComplete(c)
		}
	}
}

func (t *Jobs) countReturn(data wire.Raw) {
	var fun string
	var args wire.Raw
	retcode, success, said, scheduled := int64(0), false, false, false
	err := wire.Fields(data, func(key string, val wire.Raw) (err error) {
		switch key {
		case "fun":
			fun = wire.FunName(val)
		case "fun_args":
			args = val
		case "schedule":
			scheduled = !wire.IsNil(val)
		case "retcode":
			if n, err := wire.Int(val); err == nil {
				retcode = n
			}
		case "success":
			if wire.KindOf(val) == wire.Boolean {
				v, _ := wire.Int(val)
				success, said = v != 0, true
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	state := ""
	if strings.HasPrefix(fun, "state.") {
		if v, err := wire.DecodeWithin(args, wire.Limits{MaxNodes: 1000}); err == nil { // longer ones are not names of states
			list, _ := v.([]any)
			state = stateOf(fun, list)
		}
	}
	good := "true"
	if retcode != 0 || said && !success {
		good = "false"
	}
	t.returns.Add(1, fun, state, good)
	t.answers.Add(1, good)
	if scheduled {
		t.scheduled.Add(1, fun, state, good)
	}
}

func (t *Jobs) countComplete(c jobevent.Complete) {
	whole := func(n int) uint64 { return uint64(max(n, 0)) }
	t.expected.Add(whole(c.Expected), c.Fun, "")
	t.outcomes.Add(whole(c.Returned), "returned")
	t.outcomes.Add(whole(c.Failed), "failed")
	t.outcomes.Add(whole(len(c.Missing)), "missing")
	known := knownReasons()
	for _, a := range c.Missing {
		reason := "other"
		if slices.Contains(known, a.Reason) {
			reason = a.Reason
		}
		t.reasons.Add(1, reason)
	}
	t.seconds.Add(max(c.Took.Seconds(), 0))
}

// stateOf returns the label state as exporters use it: the state that a state function was called
// for.
func stateOf(fun string, args []any) string {
	if !strings.HasPrefix(fun, "state.") {
		return ""
	}
	for _, a := range args {
		if name, ok := a.(string); ok && name != "" {
			return name
		}
	}
	if fun == "state.apply" || fun == "state.highstate" {
		return "highstate"
	}
	return ""
}

// Collect writes the metrics.
func (t *Jobs) Collect(s *metrics.Sink) {
	for name, tally := range map[string]*metrics.Tally{
		"salt_new_job_total": t.jobs, "salt_expected_responses_total": t.expected, "salt_function_responses_total": t.returns,
		"salt_scheduled_job_return_total": t.scheduled, "salt_responses_total": t.answers,
		"mom_job_minions_total": t.outcomes, "mom_job_missing_total": t.reasons,
	} {
		tally.Each(func(n uint64, labels ...string) { s.Count(name, n, labels...) })
	}
	s.Count("mom_metrics_events_missed_total", t.missed.Load())
	s.Observe("mom_job_duration_seconds", t.seconds)
}
