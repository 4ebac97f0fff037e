package ownership

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/momtree/mom/internal/wire"
)

// Refusals are logged once in ten seconds per kind and sender; all are counted.
func TestTrespasses_RateLimit(t *testing.T) {
	x := NewTrespasses()
	now := time.Unix(1000, 0)
	a := Trespass{Kind: "event", Path: "a", Err: errors.New("x")}
	if x.Note(a, now) != 1 || x.Note(a, now.Add(time.Second)) != 0 || x.Note(Trespass{Kind: "event", Path: "b"}, now) != 1 {
		t.Error("logged at another rate")
	}
	if n := x.Note(a, now.Add(11*time.Second)); n != 2 {
		t.Errorf("%d since, want 2", n)
	}
	if n := x.Counts()["event"]; n != 4 {
		t.Errorf("%d counted", n)
	}
}

// Texts of many megabytes in a refused request are truncated in the log and on the bus.
func TestTrespassed_Short(t *testing.T) {
	var log bytes.Buffer
	events := 0
	p := &Policy{counts: NewTrespasses()}
	p.o.Refused, p.o.Now, p.o.Log = func() {}, time.Now, slog.New(slog.NewTextHandler(&log, nil))
	p.o.Fire = func(_ string, data *wire.Map) {
		b, err := wire.Encode(data)
		events += len(b)
		if err != nil {
			t.Error(err)
		}
	}
	long := strings.Repeat("é", 1<<20)
	p.Trespassed(Trespass{Kind: OfMine, Path: "m1", ID: long, JID: long, Err: fmt.Errorf("it may not ask for %q", long)})
	if log.Len() == 0 || log.Len() > 10_000 || events == 0 || events > 10_000 || !utf8.Valid(log.Bytes()) {
		t.Errorf("%d bytes in the log, %d on the bus", log.Len(), events)
	}
}
