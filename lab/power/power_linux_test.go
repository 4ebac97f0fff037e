package power

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/master/roles"
)

// What a tree of real processes has promised is kept whenever the power goes. Every member loses what
// it had not synced, and what is left is opened by the program's own readers.
func TestPower(t *testing.T) {
	l := play(t)
	o := observe(l)
	t.Run("the record is whole", func(t *testing.T) {
		d, dir := NewDisk(l.log), t.TempDir()
		d.Play(l.log.Len())
		if err := d.Lay(dir, Loss{Kind: Written}); err != nil {
			t.Fatal(err)
		}
		same(t, l.tr.Dir, dir)
	})
	t.Run("daemons that have ended leave nothing unsynced", func(t *testing.T) {
		d, dir := NewDisk(l.log), t.TempDir()
		d.Play(l.log.Len())
		if err := d.Lay(dir, Loss{Kind: Synced}); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"top", "node"} {
			want, err := os.ReadFile(filepath.Join(l.tr.Dir, id, masterPKI, roles.File))
			got, gotErr := os.ReadFile(filepath.Join(dir, id, masterPKI, roles.File))
			if err = errors.Join(err, gotErr); err != nil || len(want) == 0 || !bytes.Equal(got, want) {
				t.Errorf("%s has the roles %q and keeps %q, %v", id, want, got, err)
			}
		}
	})
	t.Logf("%d operations; %d publications, %d returns, %d keys, %d returns of minions promised",
		l.log.Len(), len(l.published), len(l.shown), len(l.keys), len(o.acked))

	random := rand.New(rand.NewPCG(*seed, 0))
	at := choose(l, o, random, *points)
	d := NewDisk(l.log)
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	defer wg.Wait()
	for i, p := range at {
		d.Play(p)
		loss := Loss{Kind: i % Losses, Seed: random.Uint64()}
		dir, err := os.MkdirTemp(roomy(), "mp") // short: the path of a socket has at most 107 bytes
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Lay(dir, loss), moveTo(dir, l.tr.Dir)); err != nil {
			t.Fatal(err)
		}
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			defer os.RemoveAll(dir)
			for _, fault := range examine(t.Context(), l, o, dir, p) {
				t.Errorf("the power went after %d of %d operations, %v: %v", p, l.log.Len(), loss, fault)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// choose gives points of the record: half of them anywhere, half of them right behind a promise, where
// one that is given too early shows.
func choose(l *load, o observed, random *rand.Rand, n int) []int {
	var given []int
	for _, promised := range []map[pair]int{o.began, o.queued, o.acked, l.shown} {
		for _, at := range promised {
			given = append(given, at)
		}
	}
	for _, promised := range []map[string]int{l.published, l.keys} {
		for _, at := range promised {
			given = append(given, at)
		}
	}
	slices.Sort(given)
	out := make([]int, n)
	for i := range out {
		if i%2 == 0 {
			out[i] = given[random.IntN(len(given))]
		} else {
			out[i] = random.IntN(l.log.Len() + 1)
		}
	}
	slices.Sort(out)
	return out
}

// roomy is where many small files are cheap.
func roomy() string {
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// moveTo changes configurations to lead to where the files are now, and to ports that are free.
func moveTo(dir, from string) error {
	confs, err := filepath.Glob(filepath.Join(dir, "*", "conf", "*"))
	for _, conf := range confs {
		text, readErr := os.ReadFile(conf)
		s := ports.ReplaceAllString(strings.ReplaceAll(string(text), from, dir), "${1}0")
		err = errors.Join(err, readErr, os.WriteFile(conf, []byte(s), 0o600))
	}
	return err
}

var ports = regexp.MustCompile(`(?m)^(publish_port: |ret_port: )\d+$`)
