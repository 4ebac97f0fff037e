package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	tr := sharedTree(t)
	for id, want := range map[string]string{
		"top":      "the master answers at 127.0.0.1:",
		"syndic-a": "the syndic is connected to 127.0.0.1\n",
		"syndic-c": "the syndic is connected to 127.0.0.1\n",
		"web-01":   "minion web-01 is subscribed to 127.0.0.1\n",
	} {
		got := runLine("", "mom", "health", "-c", tr.conf(id))
		if got.code != 0 || !strings.Contains(got.out, want) || got.err != "" {
			t.Errorf("%s: %v", id, got)
		}
	}
	got := runLine("", "mom", "health", "-c", tr.conf("top"), "--role=syndic", "-t", "300ms")
	if got.code != 1 || !strings.Contains(got.err, "the syndic does not work: the daemon does not answer") {
		t.Errorf("a master is no syndic: %v", got)
	}
	if got := runLine("", "mom", "health", "-c", tr.conf("top"), "--role=api"); got.code != 1 || !strings.Contains(got.err, `"api" is none of`) {
		t.Errorf("unknown role: %v", got)
	}
	if got := runLine("", "mom", "health", "-c", tr.conf("top"), "x"); got.code != 64 {
		t.Errorf("an argument: %v", got)
	}
}

func TestUnhealthy(t *testing.T) {
	tr := ownTree(t, "top: top-01\n  syndic-a: web-01\n")
	tr.kill(t, "top")
	for id, want := range map[string]string{
		"top":      "the master does not answer at",
		"syndic-a": "no master above is connected (127.0.0.1)",
		"top-01":   "no master above is connected (127.0.0.1)",
	} {
		// The members below notice the loss by themselves.
		got := runLine("", "mom", "health", "-c", tr.conf(id), "-t", "1s")
		for i := 0; got.code == 0 && i < 100; i++ {
			got = runLine("", "mom", "health", "-c", tr.conf(id), "-t", "1s")
		}
		if got.code != 1 || !strings.HasPrefix(got.err, "unhealthy: ") || !strings.Contains(got.err, want) {
			t.Errorf("%s: %v", id, got)
		}
	}
	tr.end(t, "web-01")
	if got := runLine("", "mom", "health", "-c", tr.conf("web-01"), "-t", "1s"); got.code != 1 || !strings.Contains(got.err, "minion web-01: event bus in ") {
		t.Errorf("a dead minion: %v", got)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "minion"), []byte("a: [b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runLine("", "mom", "health", "-c", dir); got.code != 1 || !strings.Contains(got.err, filepath.Join(dir, "minion")) {
		t.Errorf("a broken configuration: %v", got)
	}
}
