package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
)

func TestRules(t *testing.T) {
	for _, tc := range []struct {
		line     string
		fits     []string
		fitsNone []string
	}{
		{"web-1.example.com", []string{"web-1.example.com", "web-1xexampleécom"}, []string{"web-1.example.com.evil", "web-1", "xweb-1.example.com"}},
		{"web-*", []string{"web-", "web-1"}, []string{"xweb-1"}},
		{"*.example.com", []string{"a.example.com"}, []string{"example.com", "a.example.com.evil"}},
		{"web-[0-9]+", []string{"web-1", "web-22"}, []string{"web-", "web-1x", "xweb-1"}},
		{"web|db", []string{"web", "db"}, []string{"web-evil", "evil-db"}},
		{`web-\d{2}`, []string{"web-12"}, []string{"web-123", "web-1"}},
		{`web-(?=\d)\w+`, []string{"web-1a"}, []string{"web-a1", "web-1a!"}},
		{`(?P<k>a|b)-(?P=k)`, []string{"a-a"}, []string{"a-b"}},
		{"a)|(b", nil, []string{"a", "b", "ax"}},
		{"  spaced  ", []string{"spaced"}, []string{"  spaced  "}},
		{"[", []string{"["}, []string{"x"}},
	} {
		rules := parseRules([]byte(tc.line + "\n"))
		if len(rules) != 1 {
			t.Errorf("%q: %d rules", tc.line, len(rules))
			continue
		}
		for _, id := range tc.fits {
			if !rules[0].match(id) {
				t.Errorf("%q does not fit %q", tc.line, id)
			}
		}
		for _, id := range tc.fitsNone {
			if rules[0].match(id) {
				t.Errorf("%q fits %q", tc.line, id)
			}
		}
	}
	if got := parseRules([]byte("# comment\n\n  # another\n\t\nm1\r\nm2")); len(got) != 2 || !got[0].match("m1") || !got[1].match("m2") {
		t.Errorf("rules %+v", got)
	}
}

func TestSigningFileFollowsDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "autosign")
	f := signingFile{path: path, trusted: (&Policy{}).trusted, log: quiet}
	if f.match("m1") {
		t.Error("a missing file fits")
	}
	at := time.Now().Add(-time.Hour)
	for i, text := range []string{"m1", "m2", "m1\nm2"} {
		if err := durable.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"m1", "m2"} {
			if f.match(id) != strings.Contains(text, id) {
				t.Errorf("file %q: %s fits %t", text, id, f.match(id))
			}
		}
	}
	if (&signingFile{}).match("m1") {
		t.Error("no file fits")
	}
}

func TestTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, tc := range []struct {
		mode       os.FileMode
		permissive bool
		ok         bool
	}{
		{0o600, false, true},
		{0o644, false, true},
		{0o646, false, false},
		{0o646, true, false},
		{0o664, false, false},
	} {
		if err := durable.WriteFile(path, nil, tc.mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		p := Policy{PermissivePkiAccess: tc.permissive}
		if err := p.trusted(info); (err == nil) != tc.ok || err != nil && !errors.Is(err, errWritable) {
			t.Errorf("mode %o, permissive %t: %v", tc.mode, tc.permissive, err)
		}
	}
	if err := durable.WriteFile(path, []byte("m1"), 0o664); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Which group a test's file has depends on who runs it, so both answers of
	// the permissive branch are worked out the same way and compared.
	p := Policy{PermissivePkiAccess: true}
	want := true
	if os.Getuid() == 0 {
		groups, err := supplementary("")
		if err != nil {
			t.Fatal(err)
		}
		want = false
		for _, g := range groups {
			want = want || g == fmt.Sprint(gidOf(info))
		}
	}
	if err := p.trusted(info); (err == nil) != want {
		t.Errorf("permissive: %v, want trusted %t", err, want)
	}
	f := signingFile{path: path, trusted: (&Policy{}).trusted, log: quiet}
	if f.match("m1") {
		t.Error("a file its group may write is obeyed")
	}
	if err := p.trusted(mustStat(t, filepath.Dir(path))); !errors.Is(err, errWritable) {
		t.Errorf("a folder: %v", err)
	}
}

func TestAutosignGrains(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"uuid": "# machines\n  abc  \ndef\n", "flag": "True\n", "number": "7\n1.0\n1e+20", "none": "None"} {
		if err := durable.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.WriteFile(filepath.Join(dir, "open"), []byte("x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := Policy{AutosignGrainsDir: dir, Log: quiet}
	for _, tc := range []struct {
		grain string
		value any
		want  bool
	}{
		{"uuid", "abc", true},
		{"uuid", "def", true},
		{"uuid", "# machines", false},
		{"uuid", "", false},
		{"uuid", "ab", false},
		{"flag", true, true},
		{"flag", false, false},
		{"number", int64(7), true},
		{"number", 1.0, true},
		{"number", 1e20, true},
		{"none", nil, true},
		{"uuid", []any{"abc"}, false},
		{"open", "x", false},
		{"missing", "abc", false},
		{"../" + filepath.Base(dir) + "/uuid", "abc", false},
	} {
		if got := p.grainsMatch(wire.NewMap(tc.grain, tc.value)); got != tc.want {
			t.Errorf("%s = %v: %t, want %t", tc.grain, tc.value, got, tc.want)
		}
	}
	if p.grainsMatch(nil) || (&Policy{}).grainsMatch(wire.NewMap("uuid", "abc")) {
		t.Error("no grains or no folder fits")
	}
	s := openStore(t, Options{})
	a := Auth{ID: "m1", Pub: goldenText(t, "minion"), Grains: wire.NewMap("other", "x", "uuid", "abc")}
	if v := NewDecider(s, p).Decide(context.Background(), a); v.Outcome != Admitted {
		t.Errorf("a minion with the grain: %s", v.Outcome)
	}
}

func TestScalarText(t *testing.T) {
	for want, v := range map[string]any{
		"None": nil, "True": true, "False": false, "-3": int64(-3), "18446744073709551615": uint64(1<<64 - 1),
		"0.5": 0.5, "100.0": 100.0, "1e-05": 0.00001, "1e+16": 1e16, "123456789.0": 123456789.0, "-0.0": negZero(),
	} {
		if got, ok := scalarText(v); !ok || got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add([]byte("web-*\n# x\n[a-z]+\n(?=a)"), "web-1")
	f.Add([]byte("((((a*)*)*)*)b\n"), strings.Repeat("a", 30))
	f.Add([]byte("a)|(b"), "ax")
	f.Fuzz(func(t *testing.T, text []byte, id string) {
		rules := parseRules(text)
		for i := range rules {
			line := rules[i].text
			if line == "" || line[0] == '#' || strings.TrimSpace(line) != line {
				t.Errorf("line %q became a rule", line)
			}
			fits := rules[i].match(id)
			if rules[i].simple && line == id && !fits {
				t.Errorf("%q does not fit itself", id)
			}
			if rules[i].simple && fits && len([]rune(line)) != len([]rune(id)) {
				t.Errorf("plain line %q fits %q", line, id)
			}
		}
	})
}

func BenchmarkSigningFile100k(b *testing.B) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "minion-%06d.example.com\n", i)
	}
	path := filepath.Join(b.TempDir(), "autosign")
	if err := durable.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	f := signingFile{path: path, trusted: (&Policy{}).trusted, log: quiet}
	for b.Loop() {
		if f.match("stranger.example.com") {
			b.Fatal("a stranger fits")
		}
	}
}
