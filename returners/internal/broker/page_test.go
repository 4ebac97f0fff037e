package broker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
)

// The example of the page is what a broker gets.
func TestExampleOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guide", "events-out.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "```json\n")
	example, _, closed := strings.Cut(example, "```")
	if !ok || !closed {
		t.Fatal("the page has no example")
	}
	m, err := OfEvent(returners.Event{
		Key: "top/6f0c5e8d0b1a4c7f9e2d3b4a59687706/4711", Tag: "salt/job/20261128010203000004/ret/web1", MasterID: "top",
		At:   time.Date(2026, 11, 28, 1, 2, 3, 512004000, time.UTC),
		Data: data(t, "id", "web1", "jid", "20261128010203000004", "fun", "test.ping", "return", true, "_stamp", "2026-11-28T01:02:03.512004"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(m.Document, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(example), &want); err != nil {
		t.Fatalf("%v in %s", err, example)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-page +got):\n%s", diff)
	}
	for _, field := range []string{"schema", "id", "tag", "stamp", "master_id", "minion", "data"} {
		if !strings.Contains(string(page), "| `"+field+"` |") {
			t.Errorf("the page does not explain %s", field)
		}
	}
}
