package master

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
)

// logged collects the lines of a log.
type logged struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(b)
}

func (l *logged) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

// noJobs is a store that refuses all jobs.
type noJobs struct{ returners.JobStore }

func (s noJobs) Commit(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if len(b.Loads) > 0 {
		return returners.Result{}, errors.New("no space left on device")
	}
	return s.JobStore.Commit(ctx, b)
}

// A forwarder retries a job every second that its node cannot store. The log reports it once in ten
// seconds.
func TestUnstartableJobsDoNotFillTheLog(t *testing.T) {
	r := newRig(t)
	r.accept("m1", "minion")
	var log logged
	r.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	at := &clock{at: time.Now()}
	r.opts.Now = at.now
	r.opts.wrapStore = func(s returners.JobStore) returners.JobStore { return noJobs{s} }
	r.start()
	for range 11 {
		if name := r.say(testJob("*", "glob")).Map("error").String("name"); name != "SaltReqTimeoutError" {
			t.Fatalf("the job is refused with %q", name)
		}
		at.forward(time.Second)
	}
	lines := log.text()
	if n := strings.Count(lines, "job not started"); n != 2 || !strings.Contains(lines, " count=10 ") {
		t.Errorf("%d lines of 11 refused jobs:\n%s", n, lines)
	}
	// The store logs its own error.
	if n := strings.Count(lines, "level=ERROR") - strings.Count(lines, "commit failed"); n != 2 {
		t.Errorf("%d errors in the log:\n%s", n, lines)
	}
}
