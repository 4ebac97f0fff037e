package crypt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/durable"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestEnsureKeyPair(t *testing.T) {
	old := syscall.Umask(0o077) // must not affect the mode of the public file
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "pki", "master")
	made, err := EnsureKeyPair(dir, "master", 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := made.Private.N.BitLen(); n != DefaultBits {
		t.Errorf("%d bits, want %d", n, DefaultBits)
	}
	for path, want := range map[string]fs.FileMode{
		dir:                              0o700,
		filepath.Join(dir, "master.pem"): 0o400,
		filepath.Join(dir, "master.pub"): 0o644,
	} {
		if got := mode(t, path); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	loaded, err := EnsureKeyPair(dir, "master", 0)
	if err != nil || !loaded.Private.Equal(made.Private) || loaded.PublicPEM != made.PublicPEM {
		t.Errorf("second call does not give the same pair: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v: want the two files alone", entries, err)
	}
}

func TestEnsureKeyPairPublicFile(t *testing.T) {
	keys := goldenKeys(t)
	dir := t.TempDir()
	pub := filepath.Join(dir, "minion.pub")
	if err := durable.WriteFile(filepath.Join(dir, "minion.pem"), []byte(keys["minion"].PrivatePEM), PrivateMode); err != nil {
		t.Fatal(err)
	}
	pair, err := EnsureKeyPair(dir, "minion", 0)
	if err != nil || CleanPEM(pair.PublicPEM) != CleanPEM(keys["minion"].PublicPEM) {
		t.Fatalf("missing public file: %v", err)
	}
	// The text on disk is used, because it is what was signed and fingerprinted.
	crlf := strings.ReplaceAll(pair.PublicPEM, "\n", "\r\n")
	if err := durable.WriteFile(pub, []byte(crlf), PublicMode); err != nil {
		t.Fatal(err)
	}
	if pair, err = EnsureKeyPair(dir, "minion", 0); err != nil || pair.PublicPEM != crlf {
		t.Errorf("text of the public file is not kept: %v", err)
	}
	if err := durable.WriteFile(pub, []byte(keys["minion2"].PublicPEM), PublicMode); err != nil {
		t.Fatal(err)
	}
	if _, err = EnsureKeyPair(dir, "minion", 0); err == nil || !strings.Contains(err.Error(), pub) {
		t.Errorf("public file of another key: %v, want an error that names it", err)
	}
}

// A corrupt file, such as from a full disk or a failed copy, is never replaced, and the error
// says what to do.
func TestEnsureKeyPairSpoilt(t *testing.T) {
	keys := goldenKeys(t)
	for _, c := range []struct{ file, text, want string }{
		{"minion.pem", "", "restore the pair from a copy"},
		{"minion.pem", keys["minion"].PrivatePEM[:800], "restore the pair from a copy"},
		{"minion.pub", keys["minion"].PublicPEM[:200], "remove it to have it written again"},
	} {
		dir := t.TempDir()
		if _, err := EnsureKeyPair(dir, "minion", 1024); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.file)
		if err := durable.WriteFile(path, []byte(c.text), PrivateMode); err != nil {
			t.Fatal(err)
		}
		_, err := EnsureKeyPair(dir, "minion", 1024)
		if !errors.Is(err, ErrPEM) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %d bytes: %v", c.file, len(c.text), err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != c.text {
			t.Errorf("%s was written over: %v", c.file, err)
		}
	}
}

func TestEnsureKeyPairPass(t *testing.T) {
	dir := t.TempDir()
	made, err := EnsureKeyPairPass(dir, "master", 1024, "words")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := EnsureKeyPairPass(dir, "master", 0, "words")
	if err != nil || !loaded.Private.Equal(made.Private) {
		t.Errorf("load with passphrase: %v", err)
	}
	if _, err := EnsureKeyPair(dir, "master", 0); !errors.Is(err, ErrPassphrase) {
		t.Errorf("load without passphrase: %v, want ErrPassphrase", err)
	}
}

// Master and syndic of one node may start at once with the same directory.
func TestEnsureKeyPairRace(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	pairs := make([]*KeyPair, 4)
	for i := range pairs {
		wg.Go(func() {
			var err error
			if pairs[i], err = EnsureKeyPair(dir, "master", 1024); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, p := range pairs[1:] {
		if t.Failed() || !p.Private.Equal(pairs[0].Private) || p.PublicPEM != pairs[0].PublicPEM {
			t.Fatal("callers got different keys")
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.pub")
	if err := os.WriteFile(bad, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadPublic(bad); !errors.Is(err, ErrPEM) || !strings.Contains(err.Error(), bad) {
		t.Errorf("nonsense: %v, want ErrPEM that names the file", err)
	}
	if _, err := LoadPublic(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := LoadPrivate(dir, ""); err == nil {
		t.Error("a folder was read as a key")
	}
	big := filepath.Join(dir, "big.pem")
	if err := os.WriteFile(big, make([]byte, maxKeyFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadPrivate(big, ""); !errors.Is(err, ErrPEM) {
		t.Errorf("oversized file: %v, want ErrPEM", err)
	}
}
