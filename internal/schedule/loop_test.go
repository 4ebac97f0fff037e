package schedule

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A loop runs due jobs, logs Salt's texts, and ends after its runs.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		began := time.Now()
		moment := func() Moment { return Moment{Wall: time.Now(), Age: time.Since(began)} }
		table := New(Options{Check: func(j *Job) error {
			if j.Function == "no.such" {
				return fmt.Errorf("Invalid function: %s", j.Function)
			}
			return nil
		}})
		faults := table.Load(parse(t, `
a: {function: test.a, seconds: 10}
long: {function: test.long, seconds: 10}
dry: {function: test.dry, seconds: 10, dry_run: true}
bad: {function: no.such, seconds: 10}
`), moment())
		if len(faults) != 1 || !strings.Contains(faults[0].Error(), "job bad is ignored: Invalid function: no.such") {
			t.Errorf("%v", faults)
		}
		var ran, ended atomic.Int32
		jid := 0
		l := NewLoop(LoopOptions{
			Table: table, Moment: moment, Log: slog.New(slog.NewTextHandler(&log, nil)),
			JID: func() string { jid++; return fmt.Sprint("jid", jid) },
			Do: func(ctx context.Context, r Run, _ string) {
				ran.Add(1)
				if r.Name == "long" {
					<-ctx.Done()
				}
				ended.Add(1)
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); l.Run(ctx) }()
		time.Sleep(35 * time.Second)
		synctest.Wait()
		if n := ran.Load(); n != 4 { // three times a, once long, which still runs
			t.Errorf("%d runs", n)
		}
		if found, err := l.Now(ctx, "long"); !found || err == nil {
			t.Errorf("a second one of long: %v, %v", found, err)
		}
		if found, _ := l.Now(ctx, "none"); found {
			t.Error("none is found")
		}
		if found, err := l.Now(ctx, "a"); !found || err != nil {
			t.Errorf("a: %v, %v", found, err)
		}
		cancel()
		<-done
		if ended.Load() != ran.Load() {
			t.Errorf("%d of %d have ended", ended.Load(), ran.Load())
		}
		for _, want := range []string{"Running scheduled job: a with jid jid1", "Running scheduled job: long with jid jid2"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log has no %q:\n%s", want, log.String())
			}
		}
	})
}

// The number of concurrent runs is bounded.
func TestLoop_Bound(t *testing.T) {
	table := New(Options{})
	var text strings.Builder
	for i := range maxRuns + 10 {
		fmt.Fprintf(&text, "j%d: {function: test.ping, seconds: 1}\n", i)
	}
	table.Load(parse(t, text.String()), Moment{})
	var ran atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	l := NewLoop(LoopOptions{
		Table: table, Moment: func() Moment { return Moment{Age: 2 * time.Second} }, JID: func() string { return "j" },
		Do:  func(ctx context.Context, _ Run, _ string) { ran.Add(1); <-ctx.Done() },
		Log: slog.New(slog.DiscardHandler),
	})
	l.Look(ctx)
	cancel()
	l.wg.Wait()
	if n := ran.Load(); n != maxRuns {
		t.Errorf("%d runs at once, and %d may be", n, maxRuns)
	}
}
