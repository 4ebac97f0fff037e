package retention

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openJournal(t *testing.T, path string, now func() time.Time) *Journal {
	t.Helper()
	d, err := OpenJournal(JournalOptions{Path: path, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// A job may be repeated for a minion that connected after it, has not signed in between, and has
// not received so many others that it may have forgotten the jid. A restart changes nothing.
func TestJournal_MayRepeat(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			d := openJournal(t, path, nil)
			for i := range keptSignIns + 1 {
				d.SignedIn("a")
				d.SignedIn(fmt.Sprintf("wei rd\n%d", i))
			}
			before := d.Position()
			d.Published("j1")
			d.SignedIn("b")
			d.Published("j2")
			if restart {
				_ = d.Close() // writes nothing, like a kill
				d = openJournal(t, path, nil)
			}
			now := d.Position()
			d.SignedIn("c") // for the new shared key, after it connected
			for _, c := range []struct {
				jid, id string
				upTo    int64
				want    bool
			}{
				{"j1", "a", now, true},
				{"j1", "b", now, false}, // it may have restarted
				{"j2", "b", now, true},
				{"j1", "c", now, true},
				{"j1", "c", d.Position(), false},
				{"j1", "d", now, true},
				{"j1", "a", before, false}, // it received the job
				{"j3", "a", now, false},    // never published
			} {
				if got := d.MayRepeat(c.jid, c.id, c.upTo); got != c.want {
					t.Errorf("%s to %s up to %d of %d: %v", c.jid, c.id, c.upTo, d.Position(), got)
				}
			}
			for i := range keptSignIns + 1 { // more than are kept
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
				t.Error("within what a minion remembers")
			}
			d.Published("one more")
			if d.MayRepeat("j2", "a", d.Position()) {
				t.Error("a minion may have forgotten it")
			}
		})
	}
}

// A journal that may lack records repeats no job.
func TestJournal_Damaged(t *testing.T) {
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
			path := filepath.Join(t.TempDir(), "journal")
			d := openJournal(t, path, nil)
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
			for range 2 { // it continues from there
				d = openJournal(t, path, nil)
				if d.MayRepeat("j1", "z", d.Position()) != (name == "whole") || d.MayRepeat("j1", "a", d.Position()) {
					t.Error("damage not noticed, or a whole file rejected")
				}
				_ = d.Close()
			}
		})
	}
}

// Memory and disk are bounded by what happens within the span. 5,000 minions sign in each minute
// for an hour, with 60 jobs a minute.
func TestJournal_IsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	at := time.Unix(1000, 0)
	d := openJournal(t, path, func() time.Time { return at })
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
		t.Errorf("%d minions, %d publications in memory", len(d.signed), len(d.pubs))
	}
	for _, p := range []string{path, path + ".1"} {
		if f, err := os.Stat(p); err != nil || f.Size() > 11*5060*20 {
			t.Errorf("%v, %v", f.Size(), err)
		}
	}
	at = at.Add(3 * journalSpan)
	d.SignedIn("last")
	if len(d.signed) > 5001 {
		t.Errorf("%d minions in memory long after", len(d.signed))
	}
}

// No file content makes OpenJournal fail.
func FuzzJournal(f *testing.F) {
	boot := "boot " + bootID() + "\n"
	for _, s := range []string{"", boot, boot + "p j1\ns \"a\"\n", boot + "s \"\\x\"\n", "p j1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		d := openJournal(t, path, nil)
		d.Published("j2")
		if d.SignedIn("a"); d.MayRepeat("j2", "a", d.Position()) {
			t.Error("it has signed in since")
		}
		_ = d.Close()
	})
}

// PublishedAt distinguishes the jobs of this process.
func TestJournal_PublishedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	d := openJournal(t, path, nil)
	d.Published("before")
	d.SignedIn("a")
	_ = d.Close()
	d = openJournal(t, path, nil)
	life := d.Position()
	d.Published("now")
	d.Published("before")
	d.Published("now")
	if at, here := d.PublishedAt("now"); at != life+1 || !here {
		t.Errorf("job of this process: %d, %v; it started at %d", at, here, life)
	}
	if at, here := d.PublishedAt("before"); at != 1 || here {
		t.Errorf("job of the previous process: %d, %v", at, here)
	}
	if at, here := d.PublishedAt("never"); at != 0 || here {
		t.Errorf("job that was not published: %d, %v", at, here)
	}
}
