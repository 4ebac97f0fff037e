package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/momtest"
)

// What an operator types, and what comes of it beside the keys.
func TestAdmit(t *testing.T) {
	dir := t.TempDir()
	pki := filepath.Join(dir, "etc/salt/pki/master")
	if err := os.MkdirAll(filepath.Join(pki, "minions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte("root_dir: "+dir+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pki, "minions", "n1"), []byte(key.PublicPEM), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args     []string
		code     int
		out, err string
		admitted bool
	}{
		{[]string{"admit", "nobody"}, command.ExitFailure, "", "no accepted or pending key", false},
		{[]string{"admit", "nobody", "n1"}, command.ExitFailure, "n1 is admitted", "nobody", true},
		{[]string{"admit", "n1"}, 0, "n1 is admitted", "", true},
		{[]string{"admit"}, 0, "n1 " + crypt.Finger(&key.Private.PublicKey), "", true},
		{[]string{"admit", "--undo"}, command.ExitUsage, "", "needs the nodes", true},
		{[]string{"admit", "--undo", "n1"}, 0, "is not admitted any more", "", false},
		{[]string{"admit", "--undo", "n1"}, 0, "was not admitted", "", false},
		{[]string{"admit", "../x"}, command.ExitFailure, "", "cannot be the name", false},
	} {
		got := momtest.Run(Command(), "", append(c.args, "-c", dir)...)
		if got.Code != c.code || !strings.Contains(got.Out, c.out) || !strings.Contains(got.Err, c.err) {
			t.Errorf("%v: %+v", c.args, got)
		}
		if _, err := admitted.Read(pki, "n1"); (err == nil) != c.admitted {
			t.Errorf("%v: admitted %v", c.args, err == nil)
		}
	}
}

// With --top the key is admitted as that of another top, and as nothing else.
func TestAdmit_Top(t *testing.T) {
	dir := t.TempDir()
	pki := filepath.Join(dir, "etc/salt/pki/master")
	if err := os.MkdirAll(filepath.Join(pki, "minions_pre"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte("root_dir: "+dir+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pki, "minions_pre", "top-2"), []byte(key.PublicPEM), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, undo := range []bool{false, true} {
		args := []string{"admit", "--top", "top-2", "-c", dir}
		if undo {
			args = append(args, "--undo")
		}
		if got := momtest.Run(Command(), "", args...); got.Code != 0 {
			t.Errorf("%v: %+v", args, got)
		}
		_, top := admitted.Tops.Read(pki, "top-2")
		_, node := admitted.Nodes.Read(pki, "top-2")
		if (top == nil) == undo || node == nil {
			t.Errorf("%v: top %v, node %v", args, top, node)
		}
	}
}
