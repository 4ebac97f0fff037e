package master

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestHeartbeatsCanBeSwitchedOff(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: never, time.Second: time.Second, 10 * time.Minute: 10 * time.Minute} {
		if got := orNever(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}

// TestKeysOpenToOthers: a master whose private key everybody could read, in a folder that
// everybody could write to, closes both before it reads the key, and says so.
func TestKeysOpenToOthers(t *testing.T) {
	r := newRig(t)
	pki, key := filepath.Join(r.dir, "pki"), filepath.Join(r.dir, "pki", "master.pem")
	for path, mode := range map[string]os.FileMode{pki: 0o777, key: 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	var log logged
	r.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.open()
	for path, want := range map[string]os.FileMode{pki: 0o700, key: 0o400} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode().Perm(), err)
		}
	}
	for _, want := range []string{"everybody could write", "others could read the private key"} {
		if !strings.Contains(log.text(), want) {
			t.Errorf("the log does not say that %s: %s", want, log.text())
		}
	}
}
