package minion

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

var recordSalt = flag.Bool("record", false, "write the results of the salt-call in $SALT_PEER/bin into testdata")

// functionRun is the outcome of one run of states: its results, and the files afterwards.
type functionRun struct {
	Results map[string]any    `json:"results"`
	Files   map[string]string `json:"files"`
}

// TestStateFunctions_AsSalt runs each SLS in testdata/functions, normally and with test=True,
// on a directory of prepared files. The results are compared with those of salt-call 3006: each
// result, and each file with its mode. With -record and the variable SALT_PEER the expected
// results are written again.
func TestStateFunctions_AsSalt(t *testing.T) {
	const data = "../salt/modules/state/testdata/functions"
	for _, name := range []string{
		"edits", "keyvalue", "serialize", "files", "system", "ini", "managed", "folders", "links", "lines", "commands", "requisites", "archives",
	} {
		for _, test := range []bool{false, true} {
			kind := map[bool]string{false: "run", true: "test"}[test]
			t.Run(name+"/"+kind, func(t *testing.T) {
				b := newFunctionBed(t, data, name)
				want := filepath.Join(data, name+"."+kind+".json")
				if *recordSalt {
					b.record(t, want, name, test)
					return
				}
				t.Setenv("MOM_TEST_A", "")
				if err := os.Unsetenv("MOM_TEST_A"); err != nil {
					t.Fatal(err)
				}
				t.Setenv("MOM_TEST_B", "there")
				cfg, _, err := config.LoadMinion(b.dir)
				if err != nil {
					t.Fatal(err)
				}
				args := []any{"functions." + name}
				if test {
					args = append(args, value.NewMap("__kwarg__", true, "test", true))
				}
				res, err := Call(t.Context(), CallOptions{Config: cfg, Local: true, Fun: "state.apply", Args: args, Pillars: fixedPillar{b.pillar(t)}})
				if err != nil {
					t.Fatal(err)
				}
				raw, err := os.ReadFile(want)
				if err != nil {
					t.Fatal(err)
				}
				got, err := json.Marshal(functionRun{results(t, asJSON(t, res.Return)), b.files(t)})
				if err != nil {
					t.Fatal(err)
				}
				salts, ours := readRun(t, raw), readRun(t, []byte(b.plain(string(got))))
				salts.Results, ours.Results = sorted(salts.Results), sorted(ours.Results)
				if d := cmp.Diff(slices.Sorted(maps.Keys(salts.Results)), slices.Sorted(maps.Keys(ours.Results))); d != "" {
					t.Fatalf("other results (-Salt +ours):\n%s", d)
				}
				for key, want := range salts.Results {
					if d := cmp.Diff(want, ours.Results[key]); d != "" {
						t.Errorf("%s (-Salt +ours):\n%s", key, d)
					}
				}
				if d := cmp.Diff(salts.Files, ours.Files); d != "" {
					t.Errorf("files (-Salt +ours):\n%s", d)
				}
			})
		}
	}
}

// pillar returns the pillar in testdata, whose SLS is JSON.
func (b *functionBed) pillar(t *testing.T) *value.Map {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, "pillar", "app.sls"))
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
	return pillar
}

// sorted sorts values that Salt keeps in a set: the parts of the comment of file.recurse, and
// the files that a state has removed.
func sorted(results map[string]any) map[string]any {
	for _, v := range results {
		r, _ := v.(map[string]any)
		if text, _ := r["comment"].(string); strings.HasPrefix(text, "#### ") {
			parts := strings.Split(text, "\n\n#### ")
			for i, p := range parts {
				parts[i] = strings.TrimSpace(strings.TrimPrefix(p, "#### "))
			}
			slices.Sort(parts)
			r["comment"] = strings.Join(parts, "\n")
		}
		changes, _ := r["changes"].(map[string]any)
		if removed, ok := changes["removed"].([]any); ok {
			slices.SortFunc(removed, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return results
}

func results(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	m, ok := bare(t, raw).(map[string]any)
	if !ok {
		t.Fatalf("no results: %s", raw)
	}
	return m
}

func readRun(t *testing.T, raw []byte) (r functionRun) {
	t.Helper()
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return r
}

// functionBed is a directory with a configuration, states, and files to work on.
type functionBed struct{ dir, out, owner, group string }

func newFunctionBed(t *testing.T, data, name string) *functionBed {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "sf") // short: a path of a socket has few bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b := &functionBed{dir: dir, out: filepath.Join(dir, "out"), owner: me.Username, group: group.Name}
	if err := os.CopyFS(b.out, os.DirFS(filepath.Join(data, "in"))); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(b.out, "empties", "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	roots := filepath.Join(dir, "salt", "functions")
	if err := os.CopyFS(roots, os.DirFS(filepath.Join(data, "more"))); err != nil {
		t.Fatal(err)
	}
	sls, err := os.ReadFile(filepath.Join(data, name+".sls"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "pillar"), os.DirFS(filepath.Join(data, "pillar"))); err != nil {
		t.Fatal(err)
	}
	long := strings.TrimSpace(strings.Repeat("word and more ", 12))
	text := strings.NewReplacer("@OUT@", b.out, "@LONG@", long).Replace(string(sls))
	conf := fmt.Sprintf("id: m1\nroot_dir: %[1]s\nfile_client: local\nfile_roots: {base: [%[2]s]}\npillar_roots: {base: [%[1]s/pillar]}\nhosts.file: %[3]s\nuser: %[4]s\ngrains: {box: {name: crate}}\n",
		dir, filepath.Join(dir, "salt"), filepath.Join(b.out, "hosts"), b.owner)
	for path, text := range map[string]string{filepath.Join(roots, name+".sls"): text, filepath.Join(dir, "minion"): conf} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

var traceback = regexp.MustCompile(`(An exception occurred in this state: )Traceback.*\\n[A-Za-z.]*(?:Error|Exception): (.*?)(?:\\n)?"`)

// plain replaces values that differ between hosts by fixed words.
func (b *functionBed) plain(s string) string {
	s = strings.ReplaceAll(s, b.dir, "@DIR@")
	for _, word := range []string{b.owner, b.group} {
		s = strings.ReplaceAll(s, `"`+word+`"`, `"@OWNER@"`)
	}
	return traceback.ReplaceAllString(s, `$1$2"`)
}

// files returns the files of the bed, with their modes and contents.
func (b *functionBed) files(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(b.out, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(path, b.out)
		if !d.Type().IsRegular() {
			out[rel] = st.Mode().String()
			return nil
		}
		text, err := os.ReadFile(path)
		out[rel] = fmt.Sprintf("%v\n%s", st.Mode(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// record writes the results of the real Salt.
func (b *functionBed) record(t *testing.T, want, name string, test bool) {
	t.Helper()
	peer := os.Getenv("SALT_PEER")
	if peer == "" {
		t.Fatal("-record wants SALT_PEER: a folder whose bin/ holds salt-call")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(peer, "bin", "salt-call"), "--local", "-c", b.dir, "--out=json", "--log-level=quiet",
		"state.apply", "functions."+name, fmt.Sprintf("test=%s", map[bool]string{false: "False", true: "True"}[test]))
	cmd.Env = append(os.Environ(), "MOM_TEST_B=there")
	raw, err := cmd.Output()
	var printed struct{ Local any }
	if json.Unmarshal(raw, &printed) != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	raw, err = json.Marshal(printed.Local)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(functionRun{results(t, raw), b.files(t)}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, append([]byte(b.plain(string(text))), '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
