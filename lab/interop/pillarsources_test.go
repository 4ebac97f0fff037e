//go:build saltpeer

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/returners/mysql/mysqltest"
)

// samePillar compares what a runner of ours and Salt's own compile for a minion in the same
// folder, and gives it.
func samePillar(t *testing.T, p *peer, m *node) map[string]any {
	t.Helper()
	ours := m.run(nil, "salt-run", "--out=json", "pillar.show_pillar", "web1").json(t)
	theirs := m.run(p, "salt-run", "--out=json", "pillar.show_pillar", "web1").json(t)
	if !same(ours, theirs) {
		t.Errorf("ours\n%s\nSalt's\n%s", long(ours), long(theirs))
	}
	return ours
}

// gpg runs gpg with a keyring of its own.
func gpg(t *testing.T, home, in string, args ...string) string {
	t.Helper()
	c := exec.Command("gpg", append([]string{"--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""}, args...)...)
	c.Stdin = strings.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("gpg %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// TestPillarSecrets has a keyring that gpg has made open the secrets of a pillar: those in a
// file rendered by gpg, and those that decrypt_pillar names.
func TestPillarSecrets(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		keys := filepath.Join(w.dir, "keys")
		if err := os.Mkdir(keys, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = exec.Command("gpgconf", "--homedir", keys, "--kill", "all").Run() })
		gpg(t, keys, "", "--quick-gen-key", "salt <salt@example.com>", "default", "default", "never")
		write(t, filepath.Join(keys, "salt.asc"), gpg(t, keys, "", "--armor", "--export-secret-keys", "salt@example.com"))
		if err := os.Chmod(filepath.Join(keys, "salt.asc"), 0o600); err != nil {
			t.Fatal(err)
		}
		sealed := func(text string, indent int) string {
			blank := strings.Repeat(" ", indent)
			return "|\n" + blank + strings.ReplaceAll(strings.TrimSpace(gpg(t, keys, text, "--armor", "--trust-model", "always", "--encrypt", "-r", "salt@example.com")), "\n", "\n"+blank) + "\n"
		}
		m := w.master(nil, "top", "gpg_keydir: "+keys, "decrypt_pillar: ['vault:open', {'vault:deep:list': gpg}, 'vault:nosuch']")
		write(t, filepath.Join(m.Dir, "pillar", "top.sls"), "base:\n  '*':\n    - rendered\n    - plain\n    - both\n")
		write(t, filepath.Join(m.Dir, "pillar", "rendered.sls"), "#!yaml|gpg\nrendered:\n  a: "+sealed("secret a", 4)+"  list:\n    - "+sealed("grüße\nin zwei Zeilen", 6)+"    - plain\n  n: 7\n")
		write(t, filepath.Join(m.Dir, "pillar", "both.sls"), "#!jinja|yaml|gpg\n{% set x = 'b' %}\nboth:\n  {{ x }}: "+sealed("secret {{ b }}", 4)+"  id: {{ opts.id }}\n")
		write(t, filepath.Join(m.Dir, "pillar", "plain.sls"), "vault:\n  open: "+sealed("opened", 4)+"  closed: "+sealed("it stays closed", 4)+
			"  deep:\n    list:\n      - "+sealed("one", 8)+"      - x: "+sealed("two", 10)+"        y: plain\n")
		got := samePillar(t, p, m)
		vault, _ := got["vault"].(map[string]any)
		rendered, _ := got["rendered"].(map[string]any)
		both, _ := got["both"].(map[string]any)
		closed, _ := vault["closed"].(string)
		if vault["open"] != "opened" || !strings.HasPrefix(closed, "-----BEGIN PGP MESSAGE-----") || !same(vault["deep"], map[string]any{"list": []any{"one", map[string]any{"x": "two", "y": "plain"}}}) {
			t.Errorf("decrypt_pillar: %s", long(vault))
		}
		if !same(rendered, map[string]any{"a": "secret a", "list": []any{"grüße\nin zwei Zeilen", "plain"}, "n": 7}) || both["b"] != "secret {{ b }}" {
			t.Errorf("renderer gpg: %s, %s", long(rendered), long(both))
		}
	})
}

// TestPillarMySQL has queries of a real MariaDB become a pillar, in each form in which Salt's
// mysql gives one: as_json fails there, for its driver gives texts.
func TestPillarMySQL(t *testing.T) {
	s, err := mysqltest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	})
	root, err := s.Root("")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, q := range []string{
		"CREATE DATABASE site", "CREATE USER reader@'%' IDENTIFIED BY 'a word'", "GRANT SELECT ON site.* TO reader@'%'",
		"CREATE TABLE site.pillars (minion VARCHAR(50), a VARCHAR(20), b VARCHAR(20), n INT, f DOUBLE, txt TEXT, big BIGINT, flag TINYINT(1)) CHARACTER SET utf8mb4",
		"INSERT INTO site.pillars VALUES ('web%', 'users', 'anna', 1, 1.5, 'grüße', 9007199254740993, 1), ('web%', 'users', 'bert', 2, 0.25, '', -5, 0), " +
			"('web%', 'groups', 'anna', 3, 1e20, NULL, 0, NULL), ('web%', 'users', 'anna', 4, -2, 'zwei', 7, 1), ('db%', 'users', 'eve', 9, 9, 'x', 9, 1)",
	} {
		if _, err := root.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	const where = " FROM pillars WHERE %s LIKE minion"
	options := []string{
		fmt.Sprintf("mysql: {host: 127.0.0.1, port: %d, user: reader, pass: a word, db: site}", s.Port),
		"ext_pillar:",
		"  - mysql:",
	}
	for name, conf := range map[string]string{
		"text":        `"SELECT a, b, n` + where + `"`,
		"depth":       `["SELECT a, b, n, txt` + where + `", 1]`,
		"as_list":     `{query: "SELECT a, b, n` + where + `", as_list: True}`,
		"with_lists":  `{query: "SELECT a, b, n` + where + `", with_lists: "1,3"}`,
		"kinds":       `{query: "SELECT a, b, n, f, txt, big, flag` + where + `", depth: 2}`,
		"ignore_null": `{query: "SELECT a, b, txt` + where + `", ignore_null: True}`,
		"nothing":     `"SELECT a, b, n FROM pillars WHERE minion = %s"`,
	} {
		options = append(options, "      "+name+": "+conf)
	}
	options = append(options, "  - mysql:", `    - "SELECT a, b, n`+where+`"`, `    - {query: "SELECT b, txt`+where+`", depth: 1}`)
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(nil, "top", options...)
		write(t, filepath.Join(m.Dir, "pillar", "top.sls"), "base:\n  '*':\n    - own\n")
		write(t, filepath.Join(m.Dir, "pillar", "own.sls"), "own: 1\nusers:\n  own: stays\n")
		got := samePillar(t, p, m)
		kinds, _ := got["kinds"].(map[string]any)
		users, _ := kinds["users"].(map[string]any)
		anna, _ := users["anna"].(map[string]any)
		if !same(anna, map[string]any{"n": 4, "f": -2, "txt": "zwei", "big": 7, "flag": 1}) || !same(got["own"], 1) {
			t.Errorf("%s", long(got))
		}
	})
}
