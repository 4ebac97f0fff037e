package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/config"
)

func box(t *testing.T, allowed bool) (*Inbox, string) {
	t.Helper()
	c := config.DefaultMaster()
	c.Cachedir, c.FileRecv, c.FileRecvMaxSize = t.TempDir(), allowed, 1
	return NewInbox(c), filepath.Join(c.Cachedir, "minions", "m1", "files")
}

// TestInbox: pieces become a file; one that comes twice is written once, and offset 0 begins
// anew.
func TestInbox(t *testing.T) {
	b, dir := box(t, true)
	for _, p := range []Pushed{
		{Offset: 0, Data: []byte("old and long")},
		{Offset: 0, Data: []byte("abc")},
		{Offset: 3, Data: []byte("def")},
		{Offset: 3, Data: []byte("def")},
	} {
		p.ID, p.Parts = "m1", []string{"etc", "x"}
		if err := b.Take(p); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "etc", "x")); err != nil || string(got) != "abcdef" {
		t.Errorf("%q, %v", got, err)
	}
	off, _ := box(t, false)
	if err := off.Take(Pushed{ID: "m1", Parts: []string{"x"}}); !errors.Is(err, ErrNotTaken) {
		t.Errorf("with file_recv off: %v", err)
	}
}

// Attack (2020-11652, 2021-25282, 2024-38824): a minion writes out of its folder, by its path, its
// id, or a link; or more than file_recv_max_size, or a file with a hole.
func TestInbox_Hostile(t *testing.T) {
	b, dir := box(t, true)
	outside := t.TempDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "file"), filepath.Join(dir, "linkfile")); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Pushed{
		"dots":              {ID: "m1", Parts: []string{"..", "m2", "files", "x"}},
		"dots inside":       {ID: "m1", Parts: []string{"a", "..", "..", "x"}},
		"joined dots":       {ID: "m1", Parts: []string{"a/../../x"}},
		"absolute":          {ID: "m1", Parts: []string{"", "etc", "x"}},
		"slash":             {ID: "m1", Parts: []string{"/etc/x"}},
		"nul":               {ID: "m1", Parts: []string{"a\x00b"}},
		"nothing":           {ID: "m1"},
		"id is a path":      {ID: "../m1", Parts: []string{"x"}},
		"a link":            {ID: "m1", Parts: []string{"link", "x"}},
		"a linked file":     {ID: "m1", Parts: []string{"linkfile"}},
		"too large":         {ID: "m1", Parts: []string{"x"}, Offset: 1<<20 - 1, Data: []byte("ab")},
		"too large at once": {ID: "m1", Parts: []string{"x"}, Data: make([]byte, 1<<20+1)},
		"huge offset":       {ID: "m1", Parts: []string{"x"}, Offset: 1<<63 - 1, Data: []byte("ab")},
		"before it":         {ID: "m1", Parts: []string{"x"}, Offset: -1, Data: []byte("ab")},
		"a hole":            {ID: "m1", Parts: []string{"x"}, Offset: 5, Data: []byte("ab")},
	} {
		if p.Data == nil {
			p.Data = []byte("evil")
		}
		if err := b.Take(p); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if there, err := os.ReadDir(outside); err != nil || len(there) > 0 {
		t.Errorf("written outside: %v, %v", there, err)
	}
}
