package daemon

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestNotify(t *testing.T) {
	dir, err := os.MkdirTemp("", "sd") // short, because socket paths must be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, addr := range []string{filepath.Join(dir, "notify"), "@mom-test-" + filepath.Base(dir)} {
		c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: addr, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("NOTIFY_SOCKET", addr)
		for _, state := range []string{"READY=1", "STOPPING=1"} {
			if err := Notify(state); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 100)
			if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			n, err := c.Read(b)
			if err != nil || string(b[:n]) != state {
				t.Errorf("%s: got %q, %v", addr, b[:n], err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Notify("READY=1"); err == nil {
			t.Error("no error although nobody listens")
		}
	}
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Notify("READY=1"); err != nil {
		t.Error(err)
	}
}

// A manager that does not read fills its queue; the daemon must not block.
func TestNotifyDoesNotWait(t *testing.T) {
	dir, err := os.MkdirTemp("", "sd")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	addr := filepath.Join(dir, "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: addr, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", addr)
	for range 10000 {
		if Notify("READY=1") != nil {
			return
		}
	}
	t.Error("a queue without end")
}
