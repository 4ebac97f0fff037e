package power

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// journal is a log without processes, of an empty folder.
func journal(t *testing.T) *Log {
	t.Helper()
	l, err := NewLog(t.TempDir(), func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *Log) path(name string) string { return filepath.Join(l.root, name) }

func (l *Log) node(name string) *inode {
	_, _, n := l.find(l.path(name))
	return n
}

func (l *Log) fill(name, text string) { l.wrote(l.node(name), 0, []byte(text)) }

func (l *Log) make(name, text string) {
	l.created(l.path(name), false)
	l.fill(name, text)
}

func (l *Log) sync(name string) { l.ended(l.node(name), len(l.ops)) }

// laid is what the disk holds after a loss: "NAME=TEXT …", folders with a slash.
func laid(t *testing.T, d *Disk, loss Loss) string {
	t.Helper()
	dir := t.TempDir()
	if err := d.Lay(dir, loss); err != nil {
		t.Fatal(err)
	}
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if e.IsDir() {
			out = append(out, rel+"/")
			return nil
		}
		b, err := os.ReadFile(path)
		out = append(out, fmt.Sprintf("%s=%s", rel, strings.ReplaceAll(string(b), "\x00", "0")))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestDisk(t *testing.T) {
	for _, c := range []struct {
		name            string
		do              func(l *Log)
		synced, written string
	}{
		{"nothing synced", func(l *Log) { l.make("a", "x") }, "", "a=x"},
		{"the file alone", func(l *Log) { l.make("a", "x"); l.sync("a") }, "", "a=x"},
		{"the name alone", func(l *Log) { l.make("a", "x"); l.sync("") }, "a=", "a=x"},
		{"both", func(l *Log) { l.make("a", "x"); l.sync("a"); l.sync("") }, "a=x", "a=x"},
		{"overwritten", func(l *Log) { l.make("a", "old"); l.sync("a"); l.sync(""); l.fill("a", "n") }, "a=old", "a=nld"},
		{"cut off", func(l *Log) { l.make("a", "old"); l.sync("a"); l.sync(""); l.resized(l.node("a"), 1) }, "a=old", "a=o"},
		{"cut off and grown", func(l *Log) {
			l.make("a", "old")
			l.resized(l.node("a"), 1)
			l.resized(l.node("a"), 3)
			l.sync("a")
			l.sync("")
		}, "a=o00", "a=o00"},
		{"written while it synced", func(l *Log) {
			l.make("a", "x")
			l.sync("")
			since := len(l.ops)
			l.fill("a", "y")
			l.ended(l.node("a"), since)
		}, "a=x", "a=y"},
		{"replaced, the folder not synced", func(l *Log) {
			l.make("a", "old")
			l.sync("a")
			l.sync("")
			l.make("b", "new")
			l.sync("b")
			l.renamed(l.path("b"), l.path("a"))
		}, "a=old", "a=new"},
		{"replaced, the file not synced", func(l *Log) {
			l.make("a", "old")
			l.sync("a")
			l.make("b", "new")
			l.renamed(l.path("b"), l.path("a"))
			l.sync("")
		}, "a=", "a=new"},
		{"moved, one folder synced", func(l *Log) {
			l.created(l.path("from"), true)
			l.created(l.path("to"), true)
			l.sync("")
			l.make("from/a", "x")
			l.sync("from/a")
			l.sync("from")
			l.renamed(l.path("from/a"), l.path("to/a"))
			l.sync("to")
		}, "from/ to/ to/a=x", "from/ to/ to/a=x"},
		{"in a folder without a name", func(l *Log) {
			l.created(l.path("dir"), true)
			l.make("dir/a", "x")
			l.sync("dir/a")
			l.sync("dir")
		}, "", "dir/ dir/a=x"},
		{"removed", func(l *Log) { l.make("a", "x"); l.sync("a"); l.sync(""); l.removed(l.path("a")) }, "a=x", ""},
		{"removed for good", func(l *Log) {
			l.make("a", "x")
			l.sync("a")
			l.sync("")
			l.removed(l.path("a"))
			l.sync("")
		}, "", ""},
		{"two names", func(l *Log) {
			l.make("a", "x")
			l.sync("a")
			l.linked(l.path("a"), l.path("b"))
			l.sync("")
			l.removed(l.path("a"))
		}, "a=x b=x", "b=x"},
	} {
		l := journal(t)
		c.do(l)
		if err := l.Fault(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		d := NewDisk(l)
		d.Play(l.Len())
		if got := laid(t, d, Loss{Kind: Synced}); got != c.synced {
			t.Errorf("%s: synced is %q, want %q", c.name, got, c.synced)
		}
		if got := laid(t, d, Loss{Kind: Written}); got != c.written {
			t.Errorf("%s: written is %q, want %q", c.name, got, c.written)
		}
	}
}

// What was not synced may be there in part: each seed gives one of the ways, the same again each time.
func TestDisk_Parts(t *testing.T) {
	l := journal(t)
	l.make("a", strings.Repeat("x", 2*sector))
	l.sync("a")
	l.sync("")
	l.fill("a", strings.Repeat("y", 2*sector))
	l.make("b", "b")
	d := NewDisk(l)
	d.Play(l.Len())
	x, y := strings.Repeat("x", sector), strings.Repeat("y", sector)
	for kind, want := range map[int][]string{
		InOrder: {"a=" + x + x, "a=" + y + y, "a=" + y + y + " b=", "a=" + y + y + " b=b"},
		Scattered: {
			"a=" + x + x, "a=" + x + y, "a=" + y + x, "a=" + y + y,
			"a=" + x + x + " b=", "a=" + x + y + " b=", "a=" + y + x + " b=", "a=" + y + y + " b=",
			"a=" + x + x + " b=b", "a=" + x + y + " b=b", "a=" + y + x + " b=b", "a=" + y + y + " b=b",
			"a=" + x + x + " b=0", "a=" + x + y + " b=0", "a=" + y + x + " b=0", "a=" + y + y + " b=0",
		},
	} {
		got := map[string]bool{}
		for seed := range uint64(400) {
			loss := Loss{Kind: kind, Seed: seed}
			is := laid(t, d, loss)
			if got[is] = true; is != laid(t, d, loss) {
				t.Fatalf("%v: another one the second time", loss)
			}
		}
		slices.Sort(want)
		if is := slices.Sorted(maps.Keys(got)); !slices.Equal(is, want) {
			t.Errorf("kind %d: %d ways, want %d:\n%s", kind, len(is), len(want), strings.Join(is, "\n"))
		}
	}
}
