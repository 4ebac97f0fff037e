package keys

import (
	"io/fs"
	"math"
	"os"
	"syscall"
	"testing"
)

func mustStat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func gidOf(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Gid }

func negZero() float64 { return math.Copysign(0, -1) }

func TestSupplementaryGroups(t *testing.T) {
	if _, err := supplementary("no-such-user-here"); err == nil {
		t.Error("groups of a user who does not exist")
	}
	p := Policy{PermissivePkiAccess: true, User: "no-such-user-here"}
	path := t.TempDir() + "/f"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	err := p.trusted(mustStat(t, path))
	if root := os.Getuid() == 0; (err != nil) != root {
		t.Errorf("root %t, unknown user: %v", root, err)
	}
}
