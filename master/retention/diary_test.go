package retention

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openDiary(t *testing.T, path string, now func() time.Time) *Diary {
	t.Helper()
	d, err := OpenDiary(DiaryOptions{Path: path, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Who may be given a job once more: whose connection is from after it, who has not
// signed in between, and who has not heard so many others that it may have forgotten
// it. Over a restart too.
func TestDiary_MayRepeat(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "diary")
			d := openDiary(t, path, nil)
			for i := range keptSignIns + 1 {
				d.SignedIn("a")
				d.SignedIn(fmt.Sprintf("wei rd\n%d", i))
			}
			before := d.Position()
			d.Published("j1")
			d.SignedIn("b")
			d.Published("j2")
			if restart {
				_ = d.Close() // as a kill leaves it: nothing is written at the end
				d = openDiary(t, path, nil)
			}
			now := d.Position()
			d.SignedIn("c") // because of the new shared key: after it connected
			for _, c := range []struct {
				jid, id string
				upTo    int64
				want    bool
			}{
				{"j1", "a", now, true},
				{"j1", "b", now, false}, // it may have been started
				{"j2", "b", now, true},
				{"j1", "c", now, true},
				{"j1", "c", d.Position(), false},
				{"j1", "d", now, true},
				{"j1", "a", before, false}, // it has heard it
				{"j3", "a", now, false},    // nobody knows when
			} {
				if got := d.MayRepeat(c.jid, c.id, c.upTo); got != c.want {
					t.Errorf("%s to %s up to %d of %d: %v", c.jid, c.id, c.upTo, d.Position(), got)
				}
			}
			for i := range keptSignIns + 1 { // more than are kept: those before may have been earlier
				d.SignedIn("d")
				_ = i
			}
			if d.MayRepeat("j1", "d", now) {
				t.Error("it may have signed in before the connection")
			}
			for i := range rememberedJIDs - 1 {
				d.Published(fmt.Sprint("other", i))
			}
			if now = d.Position(); d.MayRepeat("j1", "a", now) || !d.MayRepeat("j2", "a", now) {
				t.Error("as many as a minion remembers")
			}
			d.Published("one more")
			if d.MayRepeat("j2", "a", d.Position()) {
				t.Error("a minion may have forgotten it")
			}
		})
	}
}

// A diary that may lack something gives nobody a job of before.
func TestDiary_Damaged(t *testing.T) {
	for name, spoil := range map[string]func(string) string{
		"whole":        func(s string) string { return s },
		"another boot": func(s string) string { return "boot x" + s[strings.IndexByte(s, '\n'):] },
		"cut off":      func(s string) string { return s[:len(s)-2] },
		"a bad line":   func(s string) string { return s + "q what\n" },
		"a bad id":     func(s string) string { return s + "s \"x\n" },
		"empty":        func(string) string { return "" },
		"no end":       func(s string) string { return s + strings.Repeat("x", 1<<17) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "diary")
			d := openDiary(t, path, nil)
			d.Published("j1")
			d.SignedIn("a")
			d.SignedIn("b")
			_ = d.Close()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(spoil(string(b))), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // and it goes on from there
				d = openDiary(t, path, nil)
				if d.MayRepeat("j1", "z", d.Position()) != (name == "whole") || d.MayRepeat("j1", "a", d.Position()) {
					t.Error("it is taken for whole, or not")
				}
				_ = d.Close()
			}
		})
	}
}

// What it holds, in memory and on disk, is bounded by what happens within its span.
// Size: 5,000 minions that sign in again each minute for an hour, 60 jobs a minute.
func TestDiary_IsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "diary")
	at := time.Unix(1000, 0)
	d := openDiary(t, path, func() time.Time { return at })
	for minute := range 60 {
		for i := range 5000 {
			d.SignedIn(fmt.Sprintf("%d.%d", minute, i))
		}
		for i := range 60 {
			d.Published(fmt.Sprint(minute, i))
		}
		at = at.Add(time.Minute)
	}
	if len(d.signed) > 21*5000 || len(d.pubs) > 2*rememberedJIDs {
		t.Errorf("%d minions, %d publications in mind", len(d.signed), len(d.pubs))
	}
	for _, p := range []string{path, path + ".1"} {
		if f, err := os.Stat(p); err != nil || f.Size() > 11*5060*20 {
			t.Errorf("%v, %v", f.Size(), err)
		}
	}
	at = at.Add(3 * diarySpan)
	d.SignedIn("last")
	if len(d.signed) > 5001 {
		t.Errorf("%d minions in mind long after", len(d.signed))
	}
}

// Nothing a file may hold makes it fail.
func FuzzDiary(f *testing.F) {
	boot := "boot " + bootID() + "\n"
	for _, s := range []string{"", boot, boot + "p j1\ns \"a\"\n", boot + "s \"\\x\"\n", "p j1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path := filepath.Join(t.TempDir(), "diary")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		d := openDiary(t, path, nil)
		d.Published("j2")
		if d.SignedIn("a"); d.MayRepeat("j2", "a", d.Position()) {
			t.Error("it has signed in since")
		}
		_ = d.Close()
	})
}

// Where a job was published first, and whether that was in this life.
func TestDiary_PublishedHere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "diary")
	d := openDiary(t, path, nil)
	d.Published("before")
	d.SignedIn("a")
	_ = d.Close()
	d = openDiary(t, path, nil)
	life := d.Position()
	d.Published("now")
	d.Published("before")
	d.Published("now")
	if at, here := d.PublishedHere("now"); at != life+1 || !here {
		t.Errorf("a job of this life: %d, %v, the life began at %d", at, here, life)
	}
	if _, here := d.PublishedHere("before"); here {
		t.Error("a job that an earlier life published counts as of this one")
	}
	if _, here := d.PublishedHere("never"); here {
		t.Error("a job that nobody published counts")
	}
}
