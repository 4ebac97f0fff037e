package doctor

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/daemons"
	_ "github.com/momtree/mom/returners/rawfile" // as the program
	_ "github.com/momtree/mom/returners/redis"
)

// shortDir returns a directory whose name leaves room for local sockets below it.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "doc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A configuration that the doctor accepts starts, and it accepts none that does not start: each one
// is compared with the daemons' own constructors.
func TestExamine_AsTheDaemonsStart(t *testing.T) {
	for name, c := range map[string]struct {
		conf string // after the directories
		area string // area that reports it; "": it starts
		what string
		bad  string // text of this area that no finding of level Works may have
	}{
		"plain":                 {conf: "rest_cherrypy: {port: 8000, disable_ssl: true}\n"},
		"syslog and metrics":    {conf: "metrics_listen: 127.0.0.1:9000\nloop_interval: 10\n"},
		"ldap without binddn":   {"external_auth: {ldap: {joe: ['.*']}}\nauth.ldap.server: ldap.example.org\n", "external_auth", "binddn", "ldap"},
		"file without a file":   {"external_auth: {file: {joe: ['.*']}}\n", "external_auth", "file", "log in by file"},
		"gitfs without its key": {"fileserver_backend: [roots, gitfs]\ngitfs_remotes:\n  - ssh://git@example.org/x.git:\n    - privkey: /nonexistent/key\n    - pubkey: /nonexistent/key.pub\n", "file server", "/nonexistent/key", "gitfs"},
		"redis and a file":      {conf: "master_job_cache: redis\nevent_return: rawfile_json\n"},
		"redis without a port":  {"master_job_cache: redis\nredis.port: 70000\nexternal_auth: {auto: {joe: ['.*']}}\n", "returners", "redis.port is 70000", "redis"},
		"data in redis":         {conf: "cache: redis\ncache.redis.password: x\n"},
		"data at no port":       {"cache: redis\ncache.redis.port: 70000\n", "cache", "redis.port is 70000", "redis"},
		"rest without address":  {"external_auth: {rest: {joe: ['.*']}}\n", "external_auth", "^url", "log in by rest"},
		"a broken key":          {"", "start", "master.pem", "master"},
		"no certificate":        {"rest_cherrypy: {port: 8000, ssl_crt: /nonexistent.crt, ssl_key: /nonexistent.key}\n", "start", "/nonexistent.crt", "API"},
		"no tornado certificate": {
			"rest_tornado: {port: 8000, ssl_crt: /nonexistent.crt, ssl_key: /nonexistent.key}\n", "start", "/nonexistent.crt",
			"API",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			conf := fmt.Sprintf("id: top\nroot_dir: %[1]s\nfile_roots: {base: [%[1]s/srv]}\npillar_roots: {base: [%[1]s/srv]}\n%[2]s", dir, c.conf)
			if err := os.WriteFile(filepath.Join(dir, "master"), []byte(conf), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "srv"), 0o755); err != nil {
				t.Fatal(err)
			}
			if name == "a broken key" {
				pki := filepath.Join(dir, "etc/salt/pki/master")
				if err := errors.Join(os.MkdirAll(pki, 0o700), os.WriteFile(filepath.Join(pki, "master.pem"), []byte("x"), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, dir)
			r, err := Examine(dir)
			if err != nil {
				t.Fatal(err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("the directory has changed from\n%s\nto\n%s", before, after)
			}
			seen := slices.ContainsFunc(r.Findings, func(f Finding) bool {
				return f.Level == Fails && f.Area == c.area && strings.Contains(f.What, c.what)
			})
			if n := r.Count(Fails); c.area == "" && n > 0 || c.area != "" && (!seen || n != 1) {
				t.Errorf("%d findings of failures: %+v", n, r.Findings)
			}
			for _, f := range r.Findings {
				if c.area != "" && f.Level == Works && f.Area == c.area && strings.Contains(f.Where+" "+f.What, c.bad) {
					t.Errorf("reported as working: %+v", f)
				}
			}
			loaded, _, err := config.LoadMaster(dir)
			if err != nil {
				t.Fatal(err)
			}
			err = daemons.TryMaster(loaded, nil, slog.New(slog.DiscardHandler))
			if loaded.RestCherrypy != nil || loaded.RestTornado != nil {
				err = daemons.TryAPI(dir, loaded)
			}
			if (err == nil) != (c.area == "") {
				t.Errorf("the daemons say %v", err)
			}
		})
	}
}

// A node is constructed with its forwarder, and a minion beside it.
func TestExamine_Node(t *testing.T) {
	dir := shortDir(t)
	for name, text := range map[string]string{
		"master": "root_dir: " + dir + "\nsyndic_master: 127.0.0.9\nfile_roots: {base: []}\n",
		"minion": "id: n1\nroot_dir: " + dir + "\nmaster: 127.0.0.9\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, dir)
	r, err := Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Area == areaStart && f.Level == Works && f.Where == "node" }) || r.Count(Fails) > 0 {
		t.Errorf("%+v", r.Findings)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("the directory has changed from\n%s\nto\n%s", before, after)
	}
}

// Nothing is reported twice: not by two areas, not with its place repeated in the text, and not once
// for each tag or directory that names it.
func TestExamine_Once(t *testing.T) {
	dir := shortDir(t)
	conf := fmt.Sprintf(`
id: top
root_dir: %[1]s
file_roots: {base: [%[1]s/none]}
fileserver_backend: [roots, s3fs]
master_job_cache: couchbase
event_return: [sentry, couchbase]
reactor: [{a: [/nonexistent/x.sls]}, {b: [/nonexistent/x.sls]}, {c: [/nonexistent/x.sls]}]
external_auth: {ldapx: {joe: [test]}, pam: {joe: [test], ann: [test]}}
`, dir)
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	whats := map[string][]string{}
	for _, f := range r.Findings {
		whats[f.What] = append(whats[f.What], f.Area)
		if strings.Contains(f.What, f.Where) && strings.Contains(f.Where, "master:") {
			t.Errorf("the place is repeated: %+v", f)
		}
	}
	for what, areas := range whats {
		if len(areas) > 1 {
			t.Errorf("%v report %q", areas, what)
		}
	}
	for _, word := range []string{"s3fs", "couchbase", "sentry", "/nonexistent/x.sls", "ldapx", dir + "/none"} {
		want := 1
		if word == "couchbase" { // used by two options
			want = 2
		}
		n := 0
		for _, f := range r.Findings {
			if strings.Contains(f.Where+" "+f.What, word) {
				n++
			}
		}
		if n != want {
			t.Errorf("%d findings name %s, want %d", n, word, want)
		}
	}
	if t.Failed() {
		for _, f := range r.Findings {
			t.Logf("%+v", f)
		}
	}
}

// pageName matches the name of a page of the documentation in texts.
var pageName = regexp.MustCompile(`\bdocs/[a-z0-9_/-]+\.(?:md|yml|json)\b`)

// Each page that the program names exists.
func TestPagesAreThere(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == "build" || name == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".sh", ".js", ".html", ".yaml", ".yml", ".service", ".md":
		default:
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			if !strings.Contains(line, "docs/") { // quicker than the expression
				continue
			}
			for _, page := range pageName.FindAllString(line, -1) {
				if _, err := os.Stat(filepath.Join(root, page)); err != nil {
					t.Errorf("%s names a page that does not exist: %v", path, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
