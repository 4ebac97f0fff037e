package health

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/mom/momtest"
)

func TestHealth(t *testing.T) {
	tr := momtest.Shared(t)
	for id, want := range map[string]string{
		"top":      "the master answers at 127.0.0.1:",
		"syndic-a": "the syndic is connected to 127.0.0.1\n",
		"syndic-c": "the syndic is connected to 127.0.0.1\n",
		"web-01":   "minion web-01 is subscribed to 127.0.0.1\n",
	} {
		got := tr.Run(Command(), id)
		if got.Code != 0 || !strings.Contains(got.Out, want) || got.Err != "" {
			t.Errorf("%s: %v", id, got)
		}
	}
	got := tr.Run(Command(), "top", "--role=syndic", "-t", "300ms")
	if got.Code != 1 || !strings.Contains(got.Err, "the syndic does not work: this daemon is only a master") {
		t.Errorf("a master passes as syndic: %v", got)
	}
	if got := tr.Run(Command(), "top", "--role=api"); got.Code != 1 || !strings.Contains(got.Err, `--role is "api"`) {
		t.Errorf("unknown role: %v", got)
	}
	if got := tr.Run(Command(), "top", "x"); got.Code != 64 {
		t.Errorf("an argument: %v", got)
	}
}

func TestUnhealthy(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n  syndic-a: web-01\n")
	tr.Kill(t, "top")
	for id, want := range map[string]string{
		"top":      "the master does not answer at",
		"syndic-a": "no master above is connected (127.0.0.1)",
		"top-01":   "no master above is connected (127.0.0.1)",
	} {
		// The members below notice the loss.
		got := tr.Run(Command(), id, "-t", "1s")
		for i := 0; got.Code == 0 && i < 100; i++ {
			got = tr.Run(Command(), id, "-t", "1s")
		}
		if got.Code != 1 || !strings.HasPrefix(got.Err, "unhealthy: ") || !strings.Contains(got.Err, want) {
			t.Errorf("%s: %v", id, got)
		}
	}
	// A node without a configured parent has the default one: it is not healthy without it.
	unnamed := t.TempDir()
	for _, name := range []string{"master", "minion"} {
		text, err := os.ReadFile(filepath.Join(tr.Dir, "syndic-a/conf", name))
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`(?m)^syndic_master:.*$`).ReplaceAll(text, nil)
		if err := os.WriteFile(filepath.Join(unnamed, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := momtest.Run(Command(), "", "-c", unnamed, "-t", "1s"); got.Code != 1 || !strings.Contains(got.Err, "the syndic does not work: no master above is connected") {
		t.Errorf("a node without syndic_master: %v", got)
	}
	tr.End(t, "web-01")
	if got := tr.Run(Command(), "web-01", "-t", "1s"); got.Code != 1 || !strings.Contains(got.Err, "minion web-01: event bus in ") {
		t.Errorf("a dead minion: %v", got)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "minion"), []byte("a: [b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := momtest.Run(Command(), "", "-c", dir); got.Code != 1 || !strings.Contains(got.Err, filepath.Join(dir, "minion")) {
		t.Errorf("a broken configuration: %v", got)
	}
}

// A daemon that cannot write is degraded, as in /readyz. The text names the directory and the remedy.
// The daemon is healthy again once its disk is.
func TestDegraded(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n  syndic-a: web-01\n")
	for id, role := range map[string]string{"top": "master", "syndic-a": "master", "web-01": "minion"} {
		cache := filepath.Join(tr.Dir, id, "var/cache/salt", role)
		away := cache + ".away" // no user can write, root included
		if err := os.Rename(cache, away); err != nil {
			t.Fatal(err)
		}
		got := tr.Run(Command(), id)
		for _, want := range []string{"unhealthy: ", "it is degraded: store: cachedir takes no files: write into " + cache + ": ", "until the disk has room"} {
			if got.Code != 1 || !strings.Contains(got.Err, want) {
				t.Errorf("%s: %v, want %q", id, got, want)
			}
		}
		_ = os.RemoveAll(cache) // created again meanwhile
		if err := os.Rename(away, cache); err != nil {
			t.Fatal(err)
		}
		if got := tr.Run(Command(), id); got.Code != 0 {
			t.Errorf("%s, mended: %v", id, got)
		}
	}
}

// Two faults are one line, and an earlier daemon that reports no checks is judged by
// its links.
func TestReadPulse(t *testing.T) {
	for _, c := range []struct {
		name         string
		answer       *wire.Map
		links, ready string
	}{
		{"fine", wire.NewMap("links", wire.NewMap("a", true, "b", false), "failing", wire.NewMap()), "", ""},
		{"older", wire.NewMap("links", wire.NewMap("a", true)), "", ""},
		{"no link", wire.NewMap("links", wire.NewMap("a", false), "failing", wire.NewMap("parent", "away")), "no master above is connected (a)", ""},
		{"none tried", wire.NewMap("links", wire.NewMap()), "no master above is connected (none is tried)", ""},
		{"a master", wire.NewMap("failing", wire.NewMap("serving", "it starts", "store", "full")), "this daemon is only a master", "it is degraded: serving: it starts; store: full"},
	} {
		p := readPulse(c.answer)
		if l, r := said(p.linked()), said(p.ready()); l != c.links || r != c.ready {
			t.Errorf("%s: %q, %q", c.name, l, r)
		}
		if got, want := said(both(p.linked(), p.ready())), strings.Trim(c.links+"; "+c.ready, "; "); got != want {
			t.Errorf("%s: both are %q, want %q", c.name, got, want)
		}
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
