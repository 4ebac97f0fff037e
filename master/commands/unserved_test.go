package commands

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestUnserved_LogIsBounded sends the requests of 500 minions at once. The log has two lines a
// minute, which name ten minions, say that there are more, and count them all.
func TestUnserved_LogIsBounded(t *testing.T) {
	u := NewUnserved(quiet)
	now := time.Unix(1e9, 0)
	lines, requests := 0, 0
	flush := func() {
		for _, l := range u.due(now) {
			lines++
			text := fmt.Sprint(l)
			if strings.Count(text, "web-") > maxAskers {
				t.Errorf("a line names too many: %s", text)
			}
			if strings.Count(text, "web-") == maxAskers && !strings.Contains(text, "and others") {
				t.Errorf("a line hides that there are others: %s", text)
			}
			for i, v := range l {
				if v == "requests" {
					requests += l[i+1].(int)
				}
			}
		}
	}
	u.Note("mine", "_mine", "first", "")
	flush()
	if lines != 1 {
		t.Errorf("the first request is logged in %d lines", lines)
	}
	for range 61 {
		for i := range 500 {
			u.Note("mine", "_mine", fmt.Sprintf("web-%d", i), "a")
		}
		flush()
		now = now.Add(time.Second)
	}
	now = now.Add(-24 * time.Hour) // the clock is set back
	u.Note("mine", "_mine", "last", "")
	flush()
	if lines != 3 || requests != 61*500+2 {
		t.Errorf("%d lines count %d requests", lines, requests)
	}
}
