package auth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// token3008 is a token as a running master of Salt 3008.2 wrote it.
func token3008(tb testing.TB) (id string, content []byte) {
	tb.Helper()
	var disk struct {
		Token struct {
			Path    string
			Content []byte
		}
	}
	vectors.Load(tb, "live_3008_disk.json", &disk)
	return strings.TrimSuffix(filepath.Base(disk.Token.Path), ext), disk.Token.Content
}

func TestTokensOfSalt3008(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tokens")
	id, content := token3008(t)
	want, err := decodeWrapped(id, content)
	if err != nil || want.Name != "bob" || want.Eauth != "sharedsecret" {
		t.Fatal(want, err)
	}
	now := want.Start.Add(time.Minute)
	if err := os.Mkdir(filepath.Join(dir, "grains"), 0o700); err != nil { // it has used this cache
		t.Fatal(err)
	}
	d := newFolder(path, quiet, func() time.Time { return now })
	if err := d.make(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, id+ext)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := d.get(id); err != nil || got.Name != "bob" || !got.Expire.Before(want.Start.Add(13*time.Hour)) {
		t.Errorf("read %v, %v", got, err)
	}
	if d.sweep(t.Context()); d.count != 1 {
		t.Errorf("%d counted", d.count)
	}
	// Ours have the same form, for the way back.
	made, err := d.add(context.Background(), Token{Name: "bob", Eauth: "sharedsecret", Start: now, Expire: now.Add(time.Hour)}, "sha256")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(path, made.Token+ext))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := wire.DecodeMap(b); err != nil || m.Map("data").String("token") != made.Token || m.Int("_expires") != made.Expire.Unix() {
		t.Errorf("written %#v, %v", m, err)
	}
	if got, err := d.get(made.Token); err != nil || got.Name != "bob" {
		t.Errorf("ours is read as %v, %v", got, err)
	}
	if err := d.remove(made.Token); err != nil {
		t.Fatal(err)
	}
	if _, err := d.get(made.Token); !errors.Is(err, ErrNoToken) {
		t.Errorf("after it was revoked: %v", err)
	}
	now = want.Expire.Add(time.Second)
	if _, err := d.get(id); !errors.Is(err, ErrNoToken) {
		t.Errorf("after it has expired: %v", err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file of the expired token: %v", err)
	}
}

func FuzzToken3008(f *testing.F) {
	id, content := token3008(f)
	f.Add(content)
	f.Fuzz(func(t *testing.T, b []byte) {
		tok, err := decodeWrapped(id, b)
		if err != nil {
			return
		}
		if again, err := tok.wrapped(); err == nil {
			if _, err := decodeWrapped(id, again); err != nil {
				t.Errorf("%v cannot be read again: %v", tok, err)
			}
		}
	})
}
