package minion

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// TestFormulas_AsSalt runs three formulas without a master. The results in testdata are those
// of salt-call 3006 for the same files, except for times and process ids.
func TestFormulas_AsSalt(t *testing.T) {
	const data = "../salt/modules/state/testdata"
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"users", "jobs", "app"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
			put := func(s string) string {
				return strings.NewReplacer("@OUT@", out, "@OWNER@", me.Username+":"+group.Name).Replace(s)
			}
			err := filepath.WalkDir(filepath.Join(data, "salt"), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				to := filepath.Join(dir, strings.TrimPrefix(path, data))
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					return err
				}
				return os.WriteFile(to, []byte(put(string(text))), 0o644)
			})
			if err != nil {
				t.Fatal(err)
			}
			conf := filepath.Join(dir, "minion")
			text := "id: m1\nroot_dir: " + dir + "\nfile_client: local\nfile_roots: {base: [" + filepath.Join(dir, "salt") + "]}\ngrains: {role: web}\n"
			if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, _, err := config.LoadMinion(dir)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(filepath.Join(data, "pillar.json"))
			if err != nil {
				t.Fatal(err)
			}
			packed, err := wire.FromJSON(raw)
			if err != nil {
				t.Fatal(err)
			}
			pillar, err := wire.DecodeMap(packed)
			if err != nil {
				t.Fatal(err)
			}
			res, err := Call(t.Context(), CallOptions{Config: cfg, Local: true, Fun: "state.apply", Args: []any{name}, Pillars: fixedPillar{pillar}})
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(data, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(bare(t, []byte(put(string(want)))), bare(t, asJSON(t, res.Return))); d != "" || res.Out != "highstate" || res.Retcode != 0 {
				t.Errorf("code %d, out %s: %s", res.Retcode, res.Out, d)
			}
		})
	}
}

// asJSON encodes a result like salt-call.
func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(value.Plain(v))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// bare decodes results without the values that differ from run to run.
func bare(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range []string{"start_time", "duration", "pid"} {
				delete(v, k)
			}
			for _, e := range v {
				strip(e)
			}
		case []any:
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(v)
	return v
}
