package bus

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stale leaves a socket file behind, like a killed process.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// shortDir returns a directory whose path leaves room for the names of sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestLeftovers: leftovers of another process at the place of a socket are replaced if nobody
// serves them and they are empty.
func TestLeftovers(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(t *testing.T, path string)
		err   string
	}{
		"nothing":        {func(*testing.T, string) {}, ""},
		"a stale socket": {stale, ""},
		"an empty file": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"a named pipe": {func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"a file of somebody": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is in the way"},
		"a folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is in the way"},
		"a link": {func(t *testing.T, path string) {
			if err := os.Symlink(filepath.Dir(path), path); err != nil {
				t.Fatal(err)
			}
		}, "is in the way"},
		"a live socket": {func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
		}, "another daemon runs here"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			path := filepath.Join(dir, "x.ipc")
			c.leave(t, path)
			vacant := Vacant(context.Background(), Socket{Dir: dir, Name: "x.ipc"})
			if live := c.err == "another daemon runs here"; live != errors.Is(vacant, ErrLive) {
				t.Errorf("vacant: %v", vacant)
			}
			h, err := Hold(context.Background(), dir, "x.ipc")
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), path) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeSocket || info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info, err)
			}
			if err := Vacant(context.Background(), Socket{Dir: dir, Name: "x.ipc"}); !errors.Is(err, ErrLive) {
				t.Errorf("held, and vacant: %v", err)
			}
			if _, err := Hold(context.Background(), dir, "x.ipc"); !errors.Is(err, ErrLive) {
				t.Errorf("held twice: %v", err)
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("the file outlives its process: %v", err)
			}
		})
	}
}

func TestVacant_Ports(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := Socket{Mode: "tcp", Name: "x", Port: l.Addr().(*net.TCPAddr).Port}
	if err := Vacant(context.Background(), Socket{Mode: "tcp", Name: "any"}, s); !errors.Is(err, ErrLive) {
		t.Errorf("answered: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Vacant(context.Background(), s); err != nil {
		t.Errorf("closed: %v", err)
	}
	if err := Vacant(context.Background(), Socket{Mode: "pigeon"}); err == nil {
		t.Error("an unknown ipc_mode is taken")
	}
}
