package daemon

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"
)

// The socket serves profiles and metrics to its own user, and is removed with the daemon.
func TestDebugServer(t *testing.T) {
	dir, err := os.MkdirTemp("", "ds") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := DebugSocketPath(dir, "master")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // left by a dead daemon
		t.Fatal(err)
	}
	s, err := ListenDebug(path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mom_info 1\n") }))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	c := DebugClient(path)
	for url, want := range map[string]string{
		"/debug/pprof/goroutine?debug=2": "daemon.TestDebugServer",
		"/debug/pprof/heap":              "\x1f\x8b",
		"/metrics":                       "mom_info 1",
	} {
		r, err := c.Get("http://debug" + url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if r.Body.Close(); err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s %v %.200q", url, r.Status, err, body)
		}
	}
	if _, err := ListenDebug(path, nil); err == nil || !strings.Contains(err.Error(), "another daemon") {
		t.Errorf("the socket of a running daemon was taken: %v", err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
