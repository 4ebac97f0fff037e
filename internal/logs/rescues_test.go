package logs

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestFound(t *testing.T) {
	var b bytes.Buffer
	at := time.Unix(1000, 0)
	c := NewRescues(slog.New(slog.NewTextHandler(&b, nil)), func() time.Time { return at })
	for range 5 {
		c.Found("forwarding sweep", "11 rows", 30*time.Second, "parent", "top")
	}
	c.Found("find_job round", "a return", 0)
	if got := strings.Count(b.String(), "level=WARN"); got != 2 {
		t.Errorf("logged %d times, want once per sweep:\n%s", got, b.String())
	}
	if !strings.Contains(b.String(), "since=30s") || !strings.Contains(b.String(), "parent=top") {
		t.Errorf("logged without duration and place: %s", b.String())
	}
	at = at.Add(11 * time.Second)
	c.Found("forwarding sweep", "1 row", time.Second)
	if !strings.Contains(b.String(), "times=5 total=6") {
		t.Errorf("suppressed events are not counted: %s", b.String())
	}
	if c.Counts()["forwarding sweep"] != 6 || c.Counts()["find_job round"] != 1 || c.Total() != 7 {
		t.Errorf("counts %v", c.Counts())
	}
}

func TestFound_Nil(t *testing.T) {
	var c *Rescues
	c.Found("x", "y", 0)
	if c.Total() != 0 || c.Counts() != nil {
		t.Error("a nil Rescues counts")
	}
}
