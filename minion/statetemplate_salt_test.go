package minion

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
)

// TestTemplates_AsSalt runs SLS files and strings outside of any environment. The expected
// results are those of salt-call 3006.
func TestTemplates_AsSalt(t *testing.T) {
	dir := t.TempDir()
	conf := fmt.Sprintf("id: m1\nroot_dir: %s\nsock_dir: /tmp/none\nfile_client: local\nfile_roots: {base: [%[1]s/salt]}\n", dir)
	one := filepath.Join(dir, "one.sls")
	for path, text := range map[string]string{
		filepath.Join(dir, "minion"): conf,
		one:                          "a:\n  test.succeed_with_changes: []\nb:\n  test.nop:\n    - require: [{test: a}]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nop := func(id string, number int, sls string) string {
		return fmt.Sprintf(`"test_|-%[1]s_|-%[1]s_|-nop": {"name": "%[1]s", "changes": {}, "result": true, "comment": "Success!", "__sls__": %[3]s, "__run_num__": %[2]d, "__id__": "%[1]s"}`, id, number, sls)
	}
	cfg, _, err := config.LoadMinion(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fun, arg, want string
		code           int
	}{
		{"state.template", strings.TrimSuffix(one, ".sls"), `{"test_|-a_|-a_|-succeed_with_changes": {"name": "a", "changes": {"testing": {"old": "Unchanged", "new": "Something pretended to change"}},
			"result": true, "comment": "Success!", "__sls__": "` + one + `", "__run_num__": 0, "__id__": "a"}, ` + nop("b", 1, `"`+one+`"`) + `}`, 0},
		{"state.template", filepath.Join(dir, "none"), `["Specified SLS ` + dir + `/none.sls on local filesystem cannot be found."]`, 1},
		{"state.template_str", "a: {test.nop: []}\nc: test.nop\n", "{" + nop("a", 0, "null") + "," + nop("c", 1, "null") + "}", 0},
		{"state.template_str", "include: [x]\n", `["The 'include' declaration found on '<template-str>' is invalid when rendering single templates"]`, 1},
		{"state.template_str", "[x]\n", `["Template <template-str> does not render to a dictionary"]`, 1},
	} {
		res, err := Call(t.Context(), CallOptions{Config: cfg, Local: true, Fun: c.fun, Args: []any{c.arg}})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(bare(t, []byte(c.want)), bare(t, asJSON(t, res.Return))); d != "" || res.Retcode != c.code {
			t.Errorf("%s %q: code %d, want %d (-Salt +ours):\n%s", c.fun, c.arg, res.Retcode, c.code, d)
		}
	}
}
