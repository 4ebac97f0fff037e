//go:build linux

package chaos

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// What is on a disk is kept although a daemon that was killed has left its sockets.
func TestFilesOf_LeavesSocketsOut(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	if err := os.MkdirAll(filepath.Join(from, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(from, "a", "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(filepath.Join(from, "a", "z"), []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, filesOf{os.DirFS(from)}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(to, "a", "z")); err != nil || string(b) != "rows" {
		t.Errorf("kept %q, %v", b, err)
	}
	if _, err := os.Lstat(filepath.Join(to, "a", "s")); err == nil {
		t.Error("the socket was kept")
	}
}
