package masters

import (
	"slices"
	"testing"

	"github.com/momtree/mom/internal/config"
)

func TestList_Shuffle(t *testing.T) {
	cfg := config.DefaultMinion()
	cfg.Master = nil
	for range 40 {
		cfg.Master = append(cfg.Master, string(rune('A'+len(cfg.Master))))
	}
	m := New(Config{Options: cfg})
	if got := m.List(); !slices.Equal(got, cfg.Master) {
		t.Errorf("shuffled without the option: %v", got)
	}
	cfg.RandomMaster = true
	got := m.List()
	if slices.Equal(got, cfg.Master) {
		t.Error("not shuffled")
	}
	cfg.MasterType, cfg.MasterFailback = "failover", true
	if got = m.List(); got[0] != cfg.Master[0] || slices.Equal(got, cfg.Master) {
		t.Errorf("with failback the first stays: %v", got)
	}
	slices.Sort(got)
	if want := slices.Sorted(slices.Values(cfg.Master)); !slices.Equal(got, want) {
		t.Error("masters were lost")
	}
}

func TestOutboxDir(t *testing.T) {
	cfg := config.DefaultMinion()
	cfg.Cachedir = t.TempDir()
	m := New(Config{Options: cfg})
	seen := map[string]bool{}
	for _, name := range []string{"a", "a:1", "[::1]:4506", "../x", "..", "x/y"} {
		dir := m.outboxDir(name)
		rel := dir[len(cfg.Cachedir):]
		if seen[dir] || len(rel) <= len("/returns/") || slices.Contains([]string{"/returns/..", "/returns/."}, rel) {
			t.Errorf("%q: %s", name, rel)
		}
		seen[dir] = true
	}
}
