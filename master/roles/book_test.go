package roles

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
)

// keysOf holds accepted keys by id.
type keysOf map[string]crypt.FingerSum

func (k keysOf) Accepted(id string) bool { _, ok := k[id]; return ok }

func (k keysOf) Sum(id string) (crypt.FingerSum, error) {
	if s, ok := k[id]; ok {
		return s, nil
	}
	return crypt.FingerSum{}, errors.New("not accepted")
}

func open(t *testing.T, dir string, keys keysOf, syndicIDs ...string) *Book {
	t.Helper()
	b, err := Open(Options{PkiDir: dir, Keys: keys, SyndicIDs: syndicIDs, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// The first act fixes a role. It survives a restart or a kill, and is removed with the key.
func TestFix(t *testing.T) {
	dir, keys := t.TempDir(), keysOf{"m": {1}, "n": {2}, "odd \"name\"": {3}}
	b := open(t, dir, keys)
	for id, role := range map[string]Role{"m": Minion, "n": Syndic, "odd \"name\"": Minion} {
		if err := b.Fix(id, role); err != nil || b.Fix(id, role) != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	if err := b.Fix("nobody", Minion); err == nil {
		t.Error("a key that is not accepted has a role")
	}
	killed := open(t, dir, keys) // without closing b
	for _, x := range []*Book{b, killed} {
		if err := x.Fix("m", Syndic); !errors.Is(err, ErrFixed) || x.Of("m") != Minion {
			t.Errorf("a minion became a %q: %v", x.Of("m"), err)
		}
		if err := x.Fix("n", Minion); !errors.Is(err, ErrFixed) || x.Of("n") != Syndic || x.Of("odd \"name\"") != Minion {
			t.Errorf("a node became a %q: %v", x.Of("n"), err)
		}
	}
	keys["m"] = crypt.FingerSum{9} // another key under its name
	if killed.Of("m") != None || killed.Fix("m", Syndic) != nil || killed.Of("m") != Syndic {
		t.Errorf("the role of the previous key counts: %q", killed.Of("m"))
	}
	if err := killed.Forget("n"); err != nil || killed.Of("n") != None {
		t.Errorf("n is a %q, %v", killed.Of("n"), err)
	}
	delete(keys, "odd \"name\"")
	again := open(t, dir, keys)
	keys["odd \"name\""] = crypt.FingerSum{3}
	if again.Of("m") != Syndic || again.Of("n") != None || again.Of("odd \"name\"") != None {
		t.Errorf("later: m %q, n %q, the deleted one %q", again.Of("m"), again.Of("n"), again.Of("odd \"name\""))
	}
}

// A torn line is lost, the lines around it are not, and the next one starts on a new line.
func TestOpen_TornLines(t *testing.T) {
	dir, keys := t.TempDir(), keysOf{"a": {1}, "b": {2}, "c": {3}}
	b := open(t, dir, keys)
	for _, id := range []string{"a", "b"} {
		if err := b.Fix(id, Minion); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(append([]byte("nonsense\n"), text...), text[:40]...), 0o600); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, keys)
	if err := b.Fix("c", Syndic); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, keys)
	if b.Of("a") != Minion || b.Of("b") != Minion || b.Of("c") != Syndic {
		t.Errorf("a %q, b %q, c %q", b.Of("a"), b.Of("b"), b.Of("c"))
	}
}

// The file does not grow as keys come and go.
func TestOpen_Compacts(t *testing.T) {
	dir, keys := t.TempDir(), keysOf{}
	b := open(t, dir, keys)
	for i := range 200 {
		id := fmt.Sprint("m", i)
		keys[id] = crypt.FingerSum{byte(i), 1}
		if err := errors.Join(b.Fix(id, Minion), b.Forget(id)); err != nil {
			t.Fatal(err)
		}
	}
	_ = open(t, dir, keys)
	if text, err := os.ReadFile(filepath.Join(dir, File)); err != nil || len(text) != 0 {
		t.Errorf("%d bytes for no key, %v", len(text), err)
	}
}

// A minion keeps its role in memory while the disk is full; a node that cannot be stored is
// rejected.
func TestFix_WriteError(t *testing.T) {
	dir, keys := t.TempDir(), keysOf{"m": {1}, "n": {2}}
	b := open(t, dir, keys)
	_ = b.file.Close() // every further write fails
	if err := b.Fix("m", Minion); err == nil || b.Of("m") != Minion {
		t.Errorf("m is a %q: %v", b.Of("m"), err)
	}
	if err := b.Fix("n", Syndic); err == nil || b.Of("n") != None {
		t.Errorf("n is a %q: %v", b.Of("n"), err)
	}
	_ = b.Sync()
	if again := open(t, dir, keys); again.Of("m") != Minion {
		t.Errorf("after a restart m is a %q", again.Of("m"))
	}
}

// A key is admitted by a file with its fingerprint, or by syndic_ids. Look notices a new or removed
// file.
func TestAdmitted(t *testing.T) {
	dir := t.TempDir()
	pair, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	key := crypt.SumKey(&pair.Private.PublicKey)
	keys := keysOf{"n": key, "listed": {1}}
	b := open(t, dir, keys, "list*")
	if !b.Admitted("listed") || b.Admitted("n") || b.Admitted("list-of-nobody") {
		t.Errorf("listed %v, n %v", b.Admitted("listed"), b.Admitted("n"))
	}
	if err := os.MkdirAll(filepath.Join(dir, "minions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "minions", "n"), []byte(pair.PublicPEM), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := admitted.Admit(dir, "n"); err != nil {
		t.Fatal(err)
	}
	if got := b.Look(); len(got) != 1 || got[0] != "n" || !b.Admitted("n") {
		t.Errorf("seen %v, admitted %v", got, b.Admitted("n"))
	}
	if got := b.Look(); len(got) != 0 {
		t.Errorf("reported again: %v", got)
	}
	keys["n"] = crypt.FingerSum{7}
	if b.Admitted("n") {
		t.Error("another key of that id is admitted")
	}
	keys["n"] = key
	if err := b.Forget("n"); err != nil || b.Admitted("n") {
		t.Errorf("forgotten, and admitted %v: %v", b.Admitted("n"), err)
	}
	if _, err := admitted.Read(dir, "n"); err == nil {
		t.Error("the file of a deleted key remains")
	}
	if _, err := admitted.Admit(dir, "n"); err != nil {
		t.Fatal(err)
	}
	delete(keys, "n")
	_ = os.Remove(filepath.Join(dir, "minions", "n"))
	open(t, dir, keys)
	if _, err := admitted.Read(dir, "n"); err == nil {
		t.Error("the file of a key deleted meanwhile remains")
	}
}

func TestAnyAdmitted(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, keysOf{"n": {1}})
	if b.AnyAdmitted() {
		t.Error("nobody is admitted")
	}
	if err := os.Mkdir(filepath.Join(dir, "minions"), 0o700); err != nil {
		t.Fatal(err)
	}
	pair, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "minions", "n"), []byte(pair.PublicPEM), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := admitted.Admit(dir, "n"); err != nil {
		t.Fatal(err)
	}
	if b.Look(); !b.AnyAdmitted() {
		t.Error("n is admitted")
	}
	if b := open(t, t.TempDir(), keysOf{}, "list*"); !b.AnyAdmitted() {
		t.Error("syndic_ids admits")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(format("m", fixed{crypt.FingerSum{1}, Minion}) + format("n", fixed{}) + "x\n"))
	f.Add([]byte(strings.Repeat("a", 70000)))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _, _ = read(bytes.NewReader(text), func(id string, x fixed) {
			if again, y, ok := parse(strings.TrimSuffix(format(id, x), "\n")); !ok || again != id || y.role != x.role || x.role != None && y != x {
				t.Errorf("%q %v is written as %q", id, x, format(id, x))
			}
		})
	})
}

// A top is admitted with one key. The admission goes with the key.
func TestTop(t *testing.T) {
	dir := t.TempDir()
	pair, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "minions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "minions", "two"), []byte(pair.PublicPEM), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := keysOf{"two": crypt.SumKey(&pair.Private.PublicKey), "n": {1}}
	b := open(t, dir, keys)
	if b.Top("two") || len(b.Tops()) != 0 {
		t.Error("not admitted yet")
	}
	if _, err := admitted.Tops.Admit(dir, "two"); err != nil {
		t.Fatal(err)
	}
	b.Look()
	if got := b.Tops(); !b.Top("two") || b.Top("n") || b.Admitted("two") || len(got) != 1 {
		t.Errorf("tops %v", got)
	}
	keys["two"] = crypt.FingerSum{2}
	if b.Top("two") {
		t.Error("another key is admitted")
	}
	if err := b.Forget("two"); err != nil {
		t.Fatal(err)
	}
	if _, err := admitted.Tops.Read(dir, "two"); err == nil {
		t.Error("the admission stays")
	}
}
