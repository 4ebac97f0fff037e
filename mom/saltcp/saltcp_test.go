package saltcp

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/mom/momtest"
)

const usage = "Usage: salt-cp [options] '<target>' SOURCE [SOURCE...] DEST\n\n"

const notAll = "ERROR: Not all minions have got all files\n"

// TestSaltCP copies files to minions of two tiers, both ways, and reads what they got.
func TestSaltCP(t *testing.T) {
	tr := momtest.Shared(t)
	src, out := t.TempDir(), t.TempDir()
	random := make([]byte, 300_000)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	write := func(name string, content []byte, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("f1", []byte("hello\r\n"), 0o644)
	write("big.bin", random, 0o751)
	write("two", random[:2*defaultChunk], 0o600)
	write("none", nil, 0o600)
	write("d1/sub/x", []byte("x\n"), 0o640)
	if err := os.MkdirAll(filepath.Join(src, "d1", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		line string // S/ and O/ stand for the directories
		want momtest.Ran
		got  map[string]string // files below the directory of minions, by source
	}{
		{"text", "web-01 S/f1 O/cp1", momtest.Ended(0, "web-01:\n    ----------\n    O/cp1:\n        True\n", ""), map[string]string{"cp1": "f1"}},
		{"a folder at the minion", "web-01 S/f1 O", momtest.Ended(0, "web-01:\n    ----------\n    O/f1:\n        True\n", ""), map[string]string{"f1": "f1"}},
		{"to several", "* S/f1 O/cp2 --out=json --out-indent=-1", momtest.Ended(0, `{"db-01": {"O/cp2": true}, "top-01": {"O/cp2": true}, "web-01": {"O/cp2": true}, "web-02": {"O/cp2": true}}`+"\n", ""), nil},
		{"no folder", "web-01 S/f1 O/no/where", momtest.Ended(1, "web-01:\n    ----------\n    O/no/where:\n        Destination unavailable\n", notAll), nil},
		{"bytes", "web-01 S/big.bin O/big1", momtest.Ended(0, "web-01:\n    ----------\n    O/big1:\n        True\n", "Copied in chunks, as --chunked does: S/big.bin is not UTF-8 text\n"), map[string]string{"big1": "big.bin"}},
		{"chunks", "-C db-01 S/big.bin O/big2", momtest.Ended(0, "db-01:\n    ----------\n    O/big2:\n        True\n", ""), map[string]string{"big2": "big.bin"}},
		{"whole chunks", "-C web-01 S/two O/two", momtest.Ended(0, "web-01:\n    ----------\n    O/two:\n        True\n", ""), map[string]string{"two": "two"}},
		{"not compressed", "-Cn web-01 S/big.bin O/big3", momtest.Ended(0, "web-01:\n    ----------\n    O/big3:\n        True\n", ""), map[string]string{"big3": "big.bin"}},
		{"an empty file", "-Cn web-01 S/none O/none", momtest.Ended(0, "web-01:\n    ----------\n    O/none:\n        True\n", ""), map[string]string{"none": "none"}},
		{
			"a folder", "-C web-01 S/d1 O/dd", momtest.Ended(0, "web-01:\n    ----------\n    O/dd/d1/empty:\n        True\n    O/dd/d1/sub/x:\n        True\n", ""),
			map[string]string{"dd/d1/sub/x": "d1/sub/x"},
		},
		{"several files", "-C web-01 S/f1 S/two O/many", momtest.Ended(0, "web-01:\n    ----------\n    O/many/f1:\n        True\n    O/many/two:\n        True\n", ""), map[string]string{"many/f1": "f1", "many/two": "two"}},
		{"onto a folder", "-C web-01 S/two O/many", momtest.Ended(1, "web-01:\n    ----------\n    O/many:\n        [Errno 21] Is a directory: 'O/many'\n", notAll), nil},
		{"a list, and one that is nobody", "-C -L web-01,ghost S/two O/g", momtest.Ended(1, "ghost:\n    ----------\n    O/g:\n        Minion did not return. [No such minion]\nweb-01:\n    ----------\n    O/g:\n        True\n", notAll), map[string]string{"g": "two"}},
		{"a compound target", "--compound web*\x00and\x00not\x00web-02 S/f1 O/cmp", momtest.Ended(0, "web-01:\n    ----------\n    O/cmp:\n        True\n", ""), nil},
		{"a folder in one job", "web-01 S/d1 O/x", momtest.Ended(1, "", "S/d1 is a directory, only files are supported in non-chunked mode. Use \"--chunked\" command line argument.\n"), nil},
		{"no such file", "web-01 S/nosuch O/x", momtest.Ended(42, "", "S/nosuch does not exist\n"), nil},
		{"no such file, chunked", "-C web-01 S/nosuch O/x", momtest.Ended(42, "", "S/nosuch does not exist\n"), nil},
		{"no file", "web-01 /dev/null O/x", momtest.Ended(1, "", "/dev/null is neither a file nor a directory\n"), nil},
		{"nobody", "no* S/f1 O/x", momtest.Ended(2, "", "No minions matched the target.\n"), nil},
		{"a bad target", "-E web-( S/f1 O/x", momtest.Ended(2, "", "target web-(: invalid target: regular expression \"web-(\": missing ), unterminated subpattern at character 6\n"), nil},
		{"range", "-R %x S/f1 O/x", momtest.Ended(64, "", usage+"salt-cp: error: option -R: range targets are not supported: no range server is asked; use a node group or a list\n"), nil},
	} {
		words := strings.Fields(strings.NewReplacer("S/", src+"/", " O", " "+out).Replace(c.line))
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "\x00", " ")
		}
		got := tr.Run(Command(), "top", words...)
		tame := strings.NewReplacer(src, "S", out, "O")
		got.Out, got.Err = tame.Replace(got.Out), tame.Replace(got.Err)
		if d := cmp.Diff(c.want.String(), got.String()); d != "" {
			t.Errorf("%s: salt-cp %s (-want +got):\n%s", c.name, c.line, d)
		}
		for there, here := range c.got {
			want, err := os.ReadFile(filepath.Join(src, here))
			b, readErr := os.ReadFile(filepath.Join(out, there))
			if err != nil || readErr != nil || !bytes.Equal(b, want) {
				t.Errorf("%s: %s has %d bytes, %v, want %d", c.name, there, len(b), readErr, len(want))
			}
		}
	}
	if info, err := os.Stat(filepath.Join(out, "big2")); err != nil || info.Mode() != 0o751 {
		t.Errorf("the mode of a file in chunks: %v, %v", info.Mode(), err)
	}
	if r := tr.Run(Command(), "top", "web-01", "f1"); r.Code != 64 || !strings.HasPrefix(r.Out, usage+"Options:\n") || r.Err != usage+"salt-cp: error: Insufficient arguments\n" {
		t.Errorf("a line that lacks something: %v", r)
	}
	if r := momtest.Run(Command(), "", "-c", t.TempDir(), "web-01", filepath.Join(src, "f1"), "/x"); r.Code != 2 || !strings.Contains(r.Err, "The salt master could not be contacted") {
		t.Errorf("no master: %v", r)
	}
}

// Endlessly nested directories, and links that lead back, end with an error.
func TestGather_Deep(t *testing.T) {
	loop, deep := t.TempDir(), t.TempDir()
	if err := os.Symlink(loop, filepath.Join(loop, "again")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(deep, strings.Repeat("d/", maxTiers+1)), 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{loop: "too many levels of symbolic links", deep: "more than 64 nested directories"} {
		if _, err := gather(line{sources: []string{dir}, dest: "/x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}
