package peers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Errors name what is missing in the environment, and what to set.
func TestFind_SaysWhatIsLacking(t *testing.T) {
	t.Setenv("SALT_PEER", "")
	t.Setenv("SALT_PEER3", "")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "SALT_PEER is not set") || !strings.Contains(err.Error(), "salt-syndic") {
		t.Errorf("without SALT_PEER: %v", err)
	}
	dir := t.TempDir()
	t.Setenv("SALT_PEER", dir)
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "SALT_PEER="+dir+": bin/salt cannot be run") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte("#!/bin/sh\necho $0 9\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find()
	if err != nil || len(found) != 1 || found[0].Version != filepath.Join(dir, "bin", "salt-master")+" 9" {
		t.Errorf("a Salt: %v, %v", found, err)
	}
}

// A command that does not end is killed with all its children. One that fails is not an error.
func TestCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Command(ctx, exec.Command("/bin/sh", "-c", "sleep 600 & wait")); err == nil || !strings.Contains(err.Error(), "not over after") {
		t.Errorf("a command without end: %v", err)
	}
	r, err := Command(t.Context(), exec.Command("/bin/sh", "-c", `echo '{"a": 1}'; echo '{"b": 2}'; echo bad >&2; exit 3`))
	if err != nil || r.Code != 3 || r.ErrOut != "bad\n" {
		t.Errorf("%+v, %v", r, err)
	}
	if v, err := r.JSON(); err != nil || len(v) != 2 {
		t.Errorf("JSON: %v, %v", v, err)
	}
	r.Out = "no such"
	if _, err := r.JSON(); err == nil || !strings.Contains(err.Error(), "no JSON") {
		t.Errorf("no JSON: %v", err)
	}
}

// A daemon that ignores SIGTERM is killed, and Stop returns an error.
func TestNode_Stop(t *testing.T) {
	n, err := NewNode("/bin/true", t.TempDir(), "one", nil)
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := Launch("deaf", filepath.Join(n.Dir, "log", "deaf"), "/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")
	if err != nil {
		t.Fatal(err)
	}
	n.procs["deaf"] = deaf
	if err := await(t.Context(), 10*time.Second, "deaf is ready", func() bool { return len(n.Tails(1)) == 1 }); err != nil {
		t.Fatal(err)
	}
	if err := n.Stop(50 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "deaf did not end on SIGTERM") {
		t.Errorf("a deaf daemon: %v", err)
	}
	if err := await(t.Context(), 20*time.Millisecond, "snow", func() bool { return false }); err == nil || !strings.Contains(err.Error(), ": snow") {
		t.Errorf("an event that never comes: %v", err)
	}
}

// Configurations have the options of the caller after those of the layout. Accept moves the key of a
// peer.
func TestLayoutAndKeys(t *testing.T) {
	n, err := NewNode("/bin/true", t.TempDir(), "one", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.MasterConf("127.9.9.9", "timeout: 3"); err != nil {
		t.Fatal(err)
	}
	defer n.Events.Close()
	text, err := os.ReadFile(filepath.Join(n.Conf, "master"))
	if err != nil || !strings.Contains(string(text), "interface: 127.9.9.9\npki_dir: "+n.Dir+"/pki\n") || !strings.HasSuffix(string(text), "timeout: 3\n") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, d := range []string{"minions", "minions_pre"} {
		if err := os.MkdirAll(filepath.Join(n.Dir, "pki", d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(n.keyPath("minions_pre", "m"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := n.Accept(t.Context(), "m"); err != nil || n.Pending("m") {
		t.Errorf("accept: %v", err)
	}
	if _, err := os.Stat(n.keyPath("minions", "m")); err != nil {
		t.Error(err)
	}
}
