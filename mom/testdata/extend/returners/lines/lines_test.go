package lines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func TestExtend_Lines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "returns")
	s, err := returners.Open(t.Context(), "lines", returners.Options{Values: map[string]any{fileOption: file}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := wire.Encode([]any{"up", 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.SaveReturns(t.Context(), []returners.Return{{JID: "20260101000000000001", ID: "web1", Fun: "x.y", Value: v}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const line = `{"fun":"x.y","id":"web1","jid":"20260101000000000001","retcode":0,"return":["up",3]}` + "\n"
	if b, err := os.ReadFile(file); err != nil || string(b) != line+line {
		t.Errorf("%q, %v", b, err)
	}
}
