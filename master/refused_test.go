package master

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
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

// A forwarder comes again every second with a job that its node cannot keep. The log
// says so once in ten seconds.
func TestUnstartableJobsDoNotFillTheLog(t *testing.T) {
	r := newRig(t)
	r.accept("m1", "minion")
	var log logged
	r.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	at := &clock{at: time.Now()}
	r.opts.Now = at.now
	r.start()
	away := r.cfg.Cachedir + ".away" // nothing can be written, whoever runs the test
	if err := os.Rename(r.cfg.Cachedir, away); err != nil {
		t.Fatal(err)
	}
	for range 11 {
		if name := r.say(testJob("*", "glob")).Map("error").String("name"); name != "SaltReqTimeoutError" {
			t.Fatalf("the job is refused with %q", name)
		}
		at.forward(time.Second)
	}
	if err := os.Rename(away, r.cfg.Cachedir); err != nil {
		t.Fatal(err)
	}
	lines := log.text()
	if n := strings.Count(lines, "could not be started"); n != 2 || !strings.Contains(lines, " count=10 ") {
		t.Errorf("%d lines of 11 refused jobs:\n%s", n, lines)
	}
	// The cleaner may come by in that moment; it tells its own trouble.
	if n := strings.Count(lines, "level=ERROR") - strings.Count(lines, "Old jobs could not be removed"); n != 2 {
		t.Errorf("%d errors in the log:\n%s", n, lines)
	}
}
