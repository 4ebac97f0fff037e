package keys

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// stage is a ring over the golden key pair of a master, with recorded events.
type stage struct {
	*Ring
	c     *config.Master
	at    time.Time
	log   bytes.Buffer
	fired []string
}

func open(t *testing.T, change func(*config.Master)) *stage {
	t.Helper()
	s := &stage{c: config.DefaultMaster(), at: time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC)}
	s.c.PkiDir, s.c.Cachedir = filepath.Join(t.TempDir(), "pki"), t.TempDir()
	pair := vectors.Keys(t)["master"]
	if err := os.Mkdir(s.c.PkiDir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"master.pem": pair.PrivatePEM, "master.pub": pair.PublicPEM} {
		if err := os.WriteFile(filepath.Join(s.c.PkiDir, name), []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	change(s.c)
	var err error
	s.Ring, err = OpenRing(RingOptions{
		Config: s.c, ID: "top", Fire: func(tag string, _ *wire.Map) { s.fired = append(s.fired, tag) },
		Log: slog.New(slog.NewTextHandler(&s.log, nil)), Now: func() time.Time { return s.at },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.OnRotated(func() { s.fired = append(s.fired, "rotated") })
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A private key and a folder that others could read or write are closed before they are used, and
// the log says so.
func TestOpen_Modes(t *testing.T) {
	modes := func(c *config.Master) map[string]os.FileMode {
		return map[string]os.FileMode{c.PkiDir: 0o777, filepath.Join(c.PkiDir, "master.pem"): 0o644}
	}
	s := open(t, func(c *config.Master) {
		for path, mode := range modes(c) {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	})
	for path, was := range modes(s.c) {
		want := map[os.FileMode]os.FileMode{0o777: 0o700, 0o644: 0o400}[was]
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, want %v", path, info, want)
		}
	}
	for _, want := range []string{"writable by all users", "readable by other users"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log does not say that %s: %s", want, s.log.String())
		}
	}
}

// The shared key is rotated on request, by age, for the next publication after a key was deleted,
// and some time after a guest has left.
func TestSharedKey_Rotation(t *testing.T) {
	s := open(t, func(*config.Master) {})
	life, guests := s.c.PublishSession, s.c.Bounds.GuestRotation
	publish := func() {
		if err := s.Seal(wire.Publication{JID: "1"}, func(*wire.Publication) {}, func([]byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what string
		does func()
		want bool
	}{
		{"nothing", s.Tend, false},
		{"a rotation was requested", func() {
			if err := RequestRotation(s.c.Cachedir, "top"); err != nil {
				t.Fatal(err)
			}
			s.Tend()
		}, true},
		{"it has reached its age", func() { s.at = s.at.Add(life); s.Tend() }, false},
		{"it is older", func() { s.at = s.at.Add(1); s.Tend() }, true},
		{"a key was deleted", func() { s.Revoked("m", false) }, false},
		{"a job follows", publish, true},
		{"another one", publish, false},
		{"a guest has left", func() { s.Revoked("m", true); publish() }, false},
		{"its time is up", func() { s.at = s.at.Add(guests); publish() }, true},
	} {
		was := s.Shared.Text()
		s.fired = nil
		c.does()
		if got := s.Shared.Text() != was; got != c.want {
			t.Errorf("%s: another key: %t", c.what, got)
		}
		if want := []string{"key", "rotated"}; c.want != slices.Equal(s.fired, want) {
			t.Errorf("%s: fired %v", c.what, s.fired)
		}
	}
}
