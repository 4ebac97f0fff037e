package runners

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// saltutil.sync_all, which sites call after each change of their files, succeeds and names the
// modules that Salt's master would sync.
func TestSync(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"_modules/m.py", "_runners/deploy.py", "_runners/sub/more.py", "_runners/README", "_pillar/vaults.py", "dev/_runners/x.py"} {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := config.DefaultMaster()
	c.FileRoots = map[string]any{"base": []any{dir}, "dev": []any{filepath.Join(dir, "dev")}}
	s, err := files.New(files.Options{Config: c, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	call := func(fun string, kv ...any) any {
		t.Helper()
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: fun, Kwargs: value.NewMap(kv...)}), Env: fileStage{&stage{}, s}})
		if err != nil {
			t.Errorf("%s: %v", fun, err)
		}
		return v
	}
	all := call("saltutil.sync_all", "extmod_whitelist", nil).(*value.Map)
	runners := "['runners.deploy is not usable: this master runs no Python', 'runners.sub.more is not usable: this master runs no Python']"
	for kind, want := range map[string]string{
		"modules": "[]", "runners": runners, "pillar": "['pillar.vaults is not usable: this master runs no Python']", "tokens": "[]", "roster": "[]",
	} {
		if v, ok := all.Get(kind); !ok || pyfmt.Repr(v) != want {
			t.Errorf("%s: %s, want %s", kind, pyfmt.Repr(v), want)
		}
	}
	if all.Len() != 23 {
		t.Errorf("%d kinds", all.Len())
	}
	for fun, want := range map[string]string{"saltutil.sync_runners": runners, "saltutil.sync_states": "[]", "saltutil.sync_eauth_tokens": "[]"} {
		if v := call(fun); pyfmt.Repr(v) != want {
			t.Errorf("%s: %s, want %s", fun, pyfmt.Repr(v), want)
		}
	}
	if v := call("saltutil.sync_runners", "saltenv", "dev"); pyfmt.Repr(v) != "['runners.x is not usable: this master runs no Python']" {
		t.Errorf("of another environment: %s", pyfmt.Repr(v))
	}
}
