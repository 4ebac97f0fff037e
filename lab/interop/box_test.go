//go:build saltpeer

package interop

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// boxTools are what a root of its own takes, beside the right to mount.
var boxTools = []string{"unshare", "chroot", "mount", "dpkg", "dpkg-deb", "apt-get", "service", "update-rc.d", "useradd"}

// needBoxes fails where no box can be made, or where it would not start like all others.
func needBoxes(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test runs as root only: each minion gets a root of its own (unshare, overlayfs, chroot)")
	}
	for _, name := range boxTools {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("this test runs on Debian and what descends from it, with %s: %v", strings.Join(boxTools, ", "), err)
		}
	}
	for _, name := range []string{"nginx", "openssh-server", "cron"} {
		// One that is not known is an error; one that was removed is purged in each box.
		if out, err := exec.Command("dpkg-query", "-f", "${db:Status-Status}", "-W", name).Output(); err == nil && string(out) == "installed" {
			t.Fatalf("the package %s is installed here, and the formulas install one of that name: run this test on a machine without it", name)
		}
	}
}

// boxedMinion starts a minion in a root of its own: that of this machine below a layer which
// goes with it. Its folder is /minion in there. debs are the packages (see buildDebs).
func (w *world) boxedMinion(p *peer, id string, up *node, debs string, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	outside := n.Dir
	n.Dir = "/minion" // what DIR stands for
	n.minionConf(up.Addr, options)
	n.Dir = outside
	if err := os.CopyFS(n.Dir, os.DirFS(debs)); err != nil {
		w.t.Fatal(err)
	}
	args := []string{"/minion/mom", "minion", "-c", "/minion/etc", "-l", "info"}
	if p != nil {
		args = []string{p.Bin("salt-minion"), "-c", "/minion/etc", "-l", "warning"}
	} else {
		copyProgram(w.t, filepath.Join(n.Dir, "mom"))
	}
	for _, name := range []string{"box.sh", "init.sh"} {
		b, err := os.ReadFile(filepath.Join("testdata", "formulas", name))
		if err != nil {
			w.t.Fatal(err)
		}
		write(w.t, filepath.Join(n.Dir, name), string(b))
	}
	args = append([]string{"unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "sh", filepath.Join(n.Dir, "box.sh"), n.Dir}, args...)
	n.Kinds = []string{"minion"}
	w.must(n.StartAs("minion", args...))
	return n
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close() //nolint:errcheck // only read
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, from); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
