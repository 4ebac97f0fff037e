package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rules that match more with Salt are reported, others are not.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct {
		conf string
		want []string
	}{
		"ids":                {"peer: {web1: [test.ping], 'db.*': [test.ping], none: [test.ping]}", []string{"peer: 'web1' has to fit the whole id here; with Salt it also means web10, web11"}},
		"functions":          {"peer: {'.*': [test.ping, network, 'status.*', 'no.such']}", []string{"peer: 'network' has to fit a whole function here, and fits none; with Salt it means network."}},
		"of users":           {"publisher_acl: {joe: [state, {'web*': [grains, {cmd.run: {args: [x]}}]}]}", []string{"publisher_acl: 'state' has", "publisher_acl: 'grains' has"}},
		"of logins":          {"external_auth: {pam: {joe: ['@runner', 'pkg', {'*': ['@jobs', 'test.*']}]}}", []string{"external_auth: 'pkg' has"}},
		"runners":            {"peer_run: {'.*': [manage, jobs.list_jobs]}", []string{"peer_run: 'manage' has"}},
		"the mine":           {"mine_get: {db: [test]}", []string{"mine_get: 'db' has to fit the whole id here; with Salt it also means db1", "mine_get: 'test' has"}},
		"as Salt has it":     {"acl_match: start\npeer: {'.*': [test]}", nil},
		"nothing is allowed": {"peer: {}", nil},
	} {
		dir := t.TempDir()
		pki := filepath.Join(dir, "pki")
		if err := os.MkdirAll(filepath.Join(pki, "minions"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"web1", "web10", "web11", "db1"} {
			if err := os.WriteFile(filepath.Join(pki, "minions", id), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "master"), []byte("id: top\npki_dir: "+pki+"\n"+c.conf+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Examine(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			if f.Area == areaRules {
				got = append(got, f.What)
			}
		}
		good := len(got) == len(c.want)
		for i := range c.want {
			good = good && strings.HasPrefix(got[i], c.want[i])
		}
		if !good {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
