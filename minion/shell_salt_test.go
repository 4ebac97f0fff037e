package minion

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
)

// TestShell_AsSalt runs some hundred commands as jobs, from templates, module.run, slots,
// states and conditions, with cmd_safe and without: a command runs in a shell exactly where it
// does in Salt 3006.27.
func TestShell_AsSalt(t *testing.T) {
	raw, err := os.ReadFile(shellAnswers)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for _, safe := range []bool{true, false} {
		t.Run(fmt.Sprintf("cmd_safe %t", safe), func(t *testing.T) {
			b := newShellBed(t, safe)
			t.Setenv("HOME", filepath.Join(b.dir, "home"))
			t.Setenv("SHELL", "/bin/sh")
			cfg, _, err := config.LoadMinion(b.dir)
			if err != nil {
				t.Fatal(err)
			}
			salts := want[fmt.Sprintf("cmd_safe_%t", safe)]
			if len(salts) != len(b.calls) {
				t.Fatalf("%d answers for %d calls", len(salts), len(b.calls))
			}
			for i, c := range b.calls {
				key := b.key(t, i, c)
				answer, ok := salts[key]
				if !ok {
					t.Fatalf("no answer for %s", key)
				}
				b.compare(t, cfg, key, c, answer)
			}
		})
	}
}

func (b *shellBed) compare(t *testing.T, cfg *config.Minion, key string, c shellCall, want any) {
	t.Helper()
	res, err := Call(t.Context(), CallOptions{Config: cfg, Local: true, SkipGrains: true, Fun: c.Fun, Args: c.Args, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var got any = "!error"
	if res.Err == nil {
		if err := json.Unmarshal(asJSON(t, res.Return), &got); err != nil {
			t.Fatal(err)
		}
		got = b.digest(got)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-Salt +ours):\n%s", key, d)
	}
}
