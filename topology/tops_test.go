package topology

import (
	"strings"
	"testing"
	"time"
)

// The tops of a cluster are in the report of a tree, in its drawing and in JSON.
func TestTops(t *testing.T) {
	n := Node{ID: "one", Role: "master", State: Up, Tops: []Top{
		{ID: "two", Addr: "h2:4506", Version: "1.0", State: Up, Since: time.Unix(0, 0), Behind: 3},
		{Addr: "h3:4506", State: Down, Why: "connection refused"},
	}}
	got, err := FromMap(n.Map())
	if err != nil || len(got.Tops) != 2 || got.Tops[0].Behind != 3 || got.Tops[1].Why != "connection refused" {
		t.Fatalf("%+v, %v", got.Tops, err)
	}
	var b strings.Builder
	if err := Draw(&b, got, DrawOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := "other top two (1.0) up since 1970-01-01T00:00:00Z, 3 behind\nother top h3:4506 DOWN: connection refused\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("drawn %q", b.String())
	}
	b.Reset()
	if err := exportJSON(&b, got, DrawOptions{}); err != nil || !strings.Contains(b.String(), `"addr": "h3:4506"`) {
		t.Errorf("%s, %v", b.String(), err)
	}
}
