package jobfiles

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	f, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	// A text of 40 bytes is str16 on the wire and str8 in files.
	long := "a text that is longer than 31 bytes is."
	load, err := wire.Encode(wire.NewMap("fun", "test.echo", "arg", []any{long}))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Save("20240102030405678901", load, []string{"a", "b"}); err != nil {
			t.Fatal(err)
		}
	}
	job := filepath.Join(dir, "61", "833e88a87eda05a6b4e38f4ae3cbb9895c4c5bab06ce0c90fdbc03403a71f4") // sha256 of the jid
	if got := read(t, job, "jid"); string(got) != "20240102030405678901" {
		t.Errorf("jid %q", got)
	}
	got := read(t, job, ".load.p")
	want, err := wire.EncodeBus(wire.NewMap("fun", "test.echo", "arg", []any{long}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("load: %s", diff)
	}
	if diff := cmp.Diff([]byte("\x92\xa1a\xa1b"), read(t, job, ".minions.p")); diff != "" {
		t.Errorf("minions: %s", diff)
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestClean(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	f, err := Open(Options{Dir: dir, HashType: "md5", Keep: time.Hour, Age: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"20240102030405678901", "20240102030405678902"} {
		if err := f.Save(id, wire.Raw{0x80}, nil); err != nil {
			t.Fatal(err)
		}
	}
	old, err := filepath.Glob(filepath.Join(dir, "*", "*", "jid"))
	if err != nil || len(old) != 2 {
		t.Fatalf("%v %v", old, err)
	}
	if err := os.Chtimes(old[0], now, now.Add(-61*time.Minute)); err != nil {
		t.Fatal(err)
	}
	// Other folders stay, however old.
	other := filepath.Join(dir, "mine", "abc")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, now, now.Add(-time.Hour*99)); err != nil {
		t.Fatal(err)
	}
	n, err := f.Clean(t.Context())
	if err != nil || n != 1 {
		t.Fatalf("removed %d, %v", n, err)
	}
	for path, there := range map[string]bool{old[0]: false, old[1]: true, other: true} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v, want there: %v", path, err, there)
		}
	}
	// An incomplete job is removed by the age of its folder.
	if err := os.Remove(old[1]); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Dir(old[1]), now, now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Clean(t.Context()); err != nil || n != 1 {
		t.Errorf("removed %d, %v", n, err)
	}
}

func TestOpen_UnknownHash(t *testing.T) {
	if _, err := Open(Options{Dir: t.TempDir(), HashType: "crc"}); err == nil {
		t.Error("no error")
	}
}

// Return writes three fields to return.p and the outputter to out.p, like local_cache. The first
// return of a minion counts, and no id leads out of the folder.
func TestReturn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	f, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	const jid = "20240102030405678901"
	full := func(ret any) wire.Raw {
		b, err := wire.Encode(wire.NewMap("cmd", "_return", "id", "m1", "jid", jid, "fun", "test.ping", "return", ret, "retcode", 0, "success", true, "out", "nested"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	minion := filepath.Join(dir, "61", "833e88a87eda05a6b4e38f4ae3cbb9895c4c5bab06ce0c90fdbc03403a71f4", "m1")
	if err := os.MkdirAll(minion, 0o700); err != nil { // left by a crash before the first return was written
		t.Fatal(err)
	}
	for _, ret := range []any{true, false} {
		if err := f.Return(jid, "m1", full(ret)); err != nil {
			t.Fatal(err)
		}
	}
	// What Salt's payload.dump writes for {"return": True, "retcode": 0, "success": True}.
	if got, want := read(t, minion, "return.p"), []byte("\x83\xa6return\xc3\xa7retcode\x00\xa7success\xc3"); !cmp.Equal(got, want) {
		t.Errorf("return.p %q", got)
	}
	if got, want := read(t, minion, "out.p"), []byte("\xa6nested"); !cmp.Equal(got, want) {
		t.Errorf("out.p %q", got)
	}
	if files, err := os.ReadDir(minion); err != nil || len(files) != 2 {
		t.Errorf("%v %v", files, err)
	}
	for _, id := range []string{"", ".", "..", "a/b", "../x"} {
		if err := f.Return(jid, id, full(true)); err == nil {
			t.Errorf("%q is accepted as a folder", id)
		}
	}
}

// Folders creates the folders that Salt's programs expect.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	if err := Folders(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jobs", "tokens", "proc"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
