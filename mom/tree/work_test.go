package tree

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func sampleWork() *wire.Map {
	return wire.NewMap("at", "2026-11-21T12:00:00Z", "open", 3, "returned", 10, "closed", 2, "jobs", []any{
		wire.NewMap("jid", "1", "fun", "cmd.run", "tgt", []any{"a", "b"}, "user", "ev\x1bil", "age", 1.5, "expected", 9, "returned", 1,
			"failed", 1, "missing", 1, "waiting", 6, "waits_for", []any{"n/a", "n/b"}, "nodes_due", []any{"m"}, "held", false),
		wire.NewMap("jid", "2", "fun", "test.ping", "tgt", "*", "held", true),
	})
}

func TestReadWork(t *testing.T) {
	raw, err := wire.Encode(sampleWork())
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.DecodeMap(raw)
	if err != nil {
		t.Fatal(err)
	}
	w := readWork(m)
	var text, form bytes.Buffer
	if err := workText(&text, w); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"3 jobs in flight; 10 returns", `1 cmd.run on list of 2 by ev\x1bil for 1.5s: 9 expected, 1 returned, 1 failed, 1 missing, 6 waited for: n/a, n/b and 4 more; what is expected at m`,
		"Python syndics that may still speak",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	if err := workJSON(&form, w); err != nil || !json.Valid(form.Bytes()) || bytes.ContainsRune(form.Bytes(), '\x1b') {
		t.Errorf("%s %v", form.String(), err)
	}
}

func FuzzReadWork(f *testing.F) {
	raw, err := wire.Encode(sampleWork())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(raw))
	f.Add([]byte{0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		var out bytes.Buffer
		w := readWork(m)
		if err := workText(&out, w); err != nil || strings.ContainsRune(out.String(), '\x1b') {
			t.Errorf("%q %v", out.String(), err)
		}
		out.Reset()
		if err := workJSON(&out, w); err != nil {
			t.Error(err)
		}
	})
}
