package master

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/bus"
)

// saltSockets are the sockets of a Python master.
var saltSockets = []string{"publish_pull.ipc", "workers.ipc", "master_event_pub.ipc", "master_event_pull.ipc"}

// leave creates sockets without listeners in the directory of a rig.
func (r *rig) leave() {
	r.t.Helper()
	run := filepath.Join(r.dir, "run")
	if err := os.MkdirAll(run, 0o755); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range saltSockets {
		l, err := net.Listen("unix", filepath.Join(run, name))
		if err != nil {
			r.t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		if err := l.Close(); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestTakeover_OfAMasterThatIsGone: a salt-master stopped by SIGTERM leaves all its sockets and its
// user's key. Our master starts on the same directory, and leaves nothing that prevents a
// salt-master from starting there again.
func TestTakeover_OfAMasterThatIsGone(t *testing.T) {
	r := newRig(t)
	r.leave()
	r.file("cache/.root_key", "the key of the one before", 0o600)
	r.start()
	for _, name := range saltSockets {
		if err := bus.Vacant(t.Context(), bus.Socket{Dir: r.cfg.SockDir, Name: name}); !errors.Is(err, bus.ErrLive) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.stop()
	for _, name := range saltSockets {
		info, err := os.Lstat(filepath.Join(r.cfg.SockDir, name))
		if err == nil && info.Mode().Type() != os.ModeSocket {
			t.Errorf("%s stays as %v: a salt-master replaces sockets alone", name, info.Mode())
		}
		if err := bus.Vacant(t.Context(), bus.Socket{Dir: r.cfg.SockDir, Name: name}); err != nil {
			t.Error(err)
		}
	}
}

// TestTakeover_NotOfALiveMaster: if another master runs, whichever of its sockets answers, ours
// does not start and changes nothing: neither the user's key, without which commands fail at the
// other master, nor any socket.
func TestTakeover_NotOfALiveMaster(t *testing.T) {
	for _, answered := range saltSockets {
		r := newRig(t)
		r.leave()
		path := filepath.Join(r.cfg.SockDir, answered)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		r.file("cache/.root_key", "the key of the live one", 0o600)
		m, err := New(r.opts)
		if err == nil {
			_ = m.Close()
		}
		if !errors.Is(err, bus.ErrLive) {
			t.Errorf("%s is answered: %v", answered, err)
		}
		if b, err := os.ReadFile(filepath.Join(r.dir, "cache", ".root_key")); err != nil || string(b) != "the key of the live one" {
			t.Errorf("%s is answered: the key is %q now: %v", answered, b, err)
		}
		for _, name := range saltSockets {
			if _, err := os.Lstat(filepath.Join(r.cfg.SockDir, name)); err != nil {
				t.Errorf("%s is answered: %v", answered, err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
