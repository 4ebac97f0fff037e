package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
)

func box(t *testing.T, allowed bool) (*Inbox, string) {
	t.Helper()
	c := config.DefaultMaster()
	c.Cachedir, c.FileRecv, c.FileRecvMaxSize = t.TempDir(), allowed, 1
	return NewInbox(c), filepath.Join(c.Cachedir, "minions", "m1", "files")
}

// TestInbox: chunks become a file; a repeated chunk is written once; offset 0 truncates.
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

// Attack (2020-11652, 2021-25282, 2024-38824): a minion writes outside its directory with a path,
// its id or a link; or more than file_recv_max_size, or a file with a hole.
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
		"no text":           {ID: "m1", Parts: []string{"a\xffb"}},
		"a long path":       {ID: "m1", Parts: slices.Repeat([]string{strings.Repeat("a", 250)}, 17)},
		"deep":              {ID: "m1", Parts: slices.Repeat([]string{"a"}, 200)},
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

// Attack: a minion keeps pushing files within the limits, including empty and deeply nested ones.
// Files of a previous run count, removing files makes room, and other minions are not affected.
func TestInbox_Room(t *testing.T) {
	c := config.DefaultMaster()
	c.Cachedir, c.FileRecv = t.TempDir(), true
	c.Bounds.PushedFiles, c.Bounds.PushedBytes = 10, 1000
	at := time.Unix(1e9, 0)
	inbox := func() *Inbox {
		b := NewInbox(c)
		b.now = func() time.Time { return at }
		return b
	}
	b := inbox()
	push := func(id, path string, offset int64, n int) bool {
		t.Helper()
		err := b.Take(Pushed{ID: id, Parts: strings.Split(path, "/"), Offset: offset, Data: make([]byte, n)})
		if err != nil && !errors.Is(err, ErrNotTaken) {
			t.Error(err)
		}
		return err == nil
	}
	for i, step := range []struct {
		id, path string
		offset   int64
		n        int
		taken    bool
	}{
		{"m1", "a/b/c", 0, 600, true}, // 3 of 10
		{"m1", "a/b/c", 600, 300, true},
		{"m1", "a/b/c", 600, 300, true}, // repeated
		{"m1", "a/d", 0, 101, false},
		{"m1", "a/b/c", 0, 100, true}, // truncated
		{"m1", "a/d", 0, 101, true},
		{"m1", "1/2/3/4/5/6/7/8", 0, 1, false},
		{"m1", "1/2/3/4/5/6", 0, 0, true}, // 10 of 10
		{"m1", "x", 0, 0, false},
		{"m1", "a/d", 0, 50, true},
		{"m2", "1/2/3/4/5/6", 0, 900, true},
	} {
		if got := push(step.id, step.path, step.offset, step.n); got != step.taken {
			t.Errorf("%d: %s: %v", i, step.path, got)
		}
	}
	b = inbox()
	if push("m1", "x", 0, 0) || push("m2", "a", 0, 200) {
		t.Error("what was there before the start does not count")
	}
	if err := os.RemoveAll(filepath.Join(c.Cachedir, "minions", "m1", "files", "1")); err != nil {
		t.Fatal(err)
	}
	if push("m1", "x", 0, 0) {
		t.Error("it is counted each time")
	}
	at = at.Add(countAgain)
	if !push("m1", "x", 0, 0) {
		t.Error("what was removed counts")
	}
}
