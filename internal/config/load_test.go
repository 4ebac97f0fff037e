package config

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

func TestDefaultsAreSalts(t *testing.T) {
	m, n := DefaultMaster(), DefaultMinion()
	for _, c := range []struct {
		name        string
		master, own any
	}{
		{"interface", "0.0.0.0", nil},
		{"publish_port", int64(4505), int64(0)},
		{"ret_port", int64(4506), nil},
		{"master_port", nil, int64(4506)},
		{"master", nil, "salt"},
		{"root_dir", "/", "/"},
		{"pki_dir", "/etc/salt/pki/master", "/etc/salt/pki/minion"},
		{"cachedir", "/var/cache/salt/master", "/var/cache/salt/minion"},
		{"sock_dir", "/var/run/salt/master", "/var/run/salt/minion"},
		{"timeout", int64(5), nil},
		{"gather_job_timeout", int64(10), nil},
		{"syndic_wait", int64(5), nil},
		{"syndic_master", "masterofmasters", nil},
		{"syndic_event_forward_timeout", 0.5, nil},
		{"syndic_jid_forward_cache_hwm", int64(100), nil},
		{"syndic_failover", "random", nil},
		{"keep_jobs_seconds", int64(86400), nil},
		{"keep_jobs", int64(24), nil},
		{"master_job_cache", "local_cache", nil},
		{"autosign_timeout", int64(120), nil},
		{"keysize", int64(2048), int64(2048)},
		{"hash_type", "sha256", "sha256"},
		{"sign_pub_messages", true, false},
		{"minimum_auth_version", int64(3), nil},
		{"publish_session", int64(86400), nil},
		{"zmq_heartbeat_ivl", int64(10000), nil},
		{"tcp_keepalive_idle", int64(300), int64(300)},
		{"tcp_keepalive_intvl", int64(-1), int64(-1)},
		{"ipv6", nil, nil},
		{"recon_default", nil, int64(1000)},
		{"recon_max", nil, int64(10000)},
		{"auth_timeout", nil, int64(5)},
		{"auth_tries", nil, int64(7)},
		{"acceptance_wait_time", nil, int64(10)},
		{"random_reauth_delay", nil, int64(10)},
		{"return_retry_timer_max", nil, int64(10)},
		{"retry_dns", nil, int64(30)},
		{"loop_interval", int64(60), int64(1)},
		{"mine_interval", nil, int64(60)},
		{"minion_jid_queue_hwm", nil, int64(100)},
		{"file_buffer_size", int64(1048576), int64(262144)},
		{"max_event_size", int64(1048576), int64(1048576)},
		{"token_expire", int64(43200), nil},
		{"show_timeout", true, nil},
		{"process_count_max", nil, int64(-1)},
		{"default_include", "master.d/*.conf", "minion.d/*.conf"},
		{"log_level", "warning", "warning"},
	} {
		if got, _ := m.Get(c.name); !cmp.Equal(got, c.master) {
			t.Errorf("master %s: %#v, want %#v", c.name, got, c.master)
		}
		if got, _ := n.Get(c.name); !cmp.Equal(got, c.own) {
			t.Errorf("minion %s: %#v, want %#v", c.name, got, c.own)
		}
	}
	if err := m.Validate(); err != nil {
		t.Errorf("the defaults are no valid master: %v", err)
	}
	if err := n.Validate(); err != nil {
		t.Errorf("the defaults are no valid minion: %v", err)
	}
}

func TestMasterFile(t *testing.T) {
	m, w := master(t, "master", `
# a comment
interface: 127.0.0.2
timeout: 1.5
publish_port: '5505'
order_masters: yes
syndic_master: [top-1, 'top-2:4606']
ipv6: off
key_pass: 0123
event_return: mysql
mysql.host: db
mysql:
  user: salt
  pass: 12345
  port: 0x10
nodegroups:
  - web: 'web* and G@os:Debian'
  - all: [N@web, or, db]
my.own.key: {a: [1, b]}
`)
	if m.Interface != "127.0.0.2" || m.Timeout != 1500*time.Millisecond || m.PublishPort != 5505 || !m.OrderMasters {
		t.Errorf("got %+v", m)
	}
	if m.Ipv6 == nil || *m.Ipv6 {
		t.Error("ipv6: off was not read")
	}
	if !slices.Equal(m.SyndicMaster, []string{"top-1", "top-2:4606"}) || !slices.Equal(m.EventReturn, []string{"mysql"}) {
		t.Errorf("lists: %q %q", m.SyndicMaster, m.EventReturn)
	}
	if want := (MySQLOptions{Host: "db", User: "salt", Pass: "12345", DB: "salt", Port: 16}); m.MySQL != want {
		t.Errorf("mysql: %+v, want %+v", m.MySQL, want)
	}
	if want := map[string]any{"web": "web* and G@os:Debian", "all": []any{"N@web", "or", "db"}}; !cmp.Equal(m.Nodegroups, want) {
		t.Error(cmp.Diff(want, m.Nodegroups))
	}
	if v, ok := m.Get("my.own.key"); !ok || !cmp.Equal(v, map[string]any{"a": []any{int64(1), "b"}}) {
		t.Errorf("own key: %v %v", v, ok)
	}
	want := []string{
		`master:9: 0123 is read as "123"; write "0123" with quotes if that is meant`,
		`master:19: unknown option my.own.key has no effect`,
	}
	if got := warningTexts(w); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if m.ID != "h.example_master" {
		t.Errorf("id %q", m.ID)
	}
	if p := m.Place("timeout"); p.Line != 4 || filepath.Base(p.File) != "master" {
		t.Errorf("timeout was set at %v", p)
	}
}

func TestEveryFaultIsNamedWithItsLine(t *testing.T) {
	_, _, err := loadMaster(files(t,
		"master", "timeout: soon\nret_port: 4505\nhash_type: sha3\nopen_mode: maybe\ntimeout: 3\nipc_mode: loud\n",
		"master.d/a.conf", "pub_hwm: 0\nsyndic_master: ['ok', 'a b']\n",
		"master.d/b.conf", "a: [1\n",
		"master.d/c.conf", "just text\n",
		"master.d/d.conf", "publisher_acl: {joe: test.ping}\nkeysize: 99999999999999999999\nkey_pass: sdb://x/y\n",
	), machine("h"))
	want := []string{
		"master:1: timeout: wants a number of seconds, has the text \"soon\"",
		"master:2: ret_port: is 4505 like publish_port; the two have to differ",
		"master:3: hash_type: \"sha3\" is not known; use one of md5, sha1, sha224, sha256, sha384, sha512",
		"master:4: open_mode: wants true or false, has the text \"maybe\"",
		"master:5: timeout: is set twice; the first time in line 1",
		"master:6: ipc_mode: \"loud\" is not known; use one of ipc, tcp",
		"a.conf:1: pub_hwm: 0 is too small: at least 1",
		"a.conf:2: syndic_master: entry 2: \"a b\" is no host name or address (several masters are written as a list)",
		"b.conf:1: invalid YAML: did not find expected ',' or ']'",
		"c.conf:1: there should be lines of the form 'name: value', not the text \"just text\"",
		"d.conf:2: keysize: is too large: 99999999999999999999",
		"d.conf:3: key_pass: sdb:// values are not supported; write the value itself",
	}
	if got := faults(t, err); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// Values that cannot be obeyed are refused, and so are those that would not protect as they
// claim.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"master", "fips_mode: true", "master:1: fips_mode: true is not supported: peers may choose SHA-1 and X9.31, as Salt's protocol has it; set it to false"},
		{"minion", "fips_mode: true", "minion:1: fips_mode: true is not supported: peers may choose SHA-1 and X9.31, as Salt's protocol has it; set it to false"},
		{"master", "ipv6: false\ninterface: '::'", "master:1: ipv6: is false, but interface :: is an IPv6 address"},
		{"master", "publisher_acl_blacklist: {user: [joe]}", `master:1: publisher_acl_blacklist: "user" is not known; use users and modules`},
		{"master", "publisher_acl_blacklist: {users: {joe: x}}", "master:1: publisher_acl_blacklist: users: wants a list of patterns, has a mapping"},
		{"master", "publisher_acl_blacklist: {modules: [1]}", "master:1: publisher_acl_blacklist: modules: entry 1 should be a text, not the number 1"},
		{"master", "ipv6: true\npublisher_acl_blacklist: {users: joe, modules: ['cmd.*']}\nfips_mode: false", ""},
	} {
		dir := files(t, c.file, c.text+"\n")
		var err error
		if c.file == "master" {
			_, _, err = loadMaster(dir, machine("h"))
		} else {
			_, _, err = loadMinion(dir, machine("h"), false)
		}
		var got []string
		if err != nil {
			got = faults(t, err)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestEffects: each text belongs to an unserved option, and is in the warning about a file that
// sets it.
func TestEffects(t *testing.T) {
	for name, effect := range Effects {
		if NotYet[name] == 0 {
			t.Errorf("%s is served: take its line out of Effects", name)
		}
		if NotYet[name]&Masters == 0 {
			continue
		}
		value := "{a: [b]}"
		_, w := master(t, "master", name+": "+value+"\n")
		if want := "master:1: option " + name + " is not supported yet and has no effect: " + effect; !cmp.Equal(warningTexts(w), []string{want}) {
			t.Errorf("%q, want %q", warningTexts(w), want)
		}
	}
}

func TestUnserved(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		"hgfs_remotes: []\n": nil,
		"hgfs_remotes: [a]\nsvnfs_remotes: [b]\n": {"hgfs_remotes", "svnfs_remotes"},
	} {
		m, _ := master(t, "master", text)
		if got := m.UnservedFiles(); !cmp.Equal(got, want) {
			t.Errorf("%q: %s", text, cmp.Diff(want, got))
		}
	}
}

// TestOrdered: the order of keys is that of the files, across includes.
func TestOrdered(t *testing.T) {
	m, _ := master(t, "master", "pillar_roots:\n  zeta: [/z]\n  base: [/b]\n  alpha: [/a]\n")
	o, ok := m.Ordered("pillar_roots").(*wire.Map)
	if !ok || !cmp.Equal(o.Keys(), []any{"zeta", "base", "alpha"}) {
		t.Errorf("%v", o)
	}
	if m.Ordered("ext_pillar") != nil {
		t.Error("an option that is not set has an order")
	}
}

func TestWarnings(t *testing.T) {
	_, w := master(t, "master", `timout: 3
engines: {}
worker_threads: 10
master_port: 4506
keep_jobs:
external_auth: {pam: {joe: ['.*']}}
auto_accept: 1
`)
	want := []string{
		"master:1: unknown option timout; did you mean timeout?",
		"master:2: option engines is not supported yet and has no effect: no engine runs",
		"master:3: option worker_threads has no effect: the number of workers is not fixed",
		"master:4: option master_port is read by a minion; here it has no effect",
		"master:5: option keep_jobs has no value: the default 24 is used",
		"master:7: only true (or yes, on) turns auto_accept on; 1 leaves it off",
	}
	if got := warningTexts(w); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func TestMissingFolderAndFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	m, w, err := loadMinion(dir, machine("web.example"), false)
	if err != nil || m.ID != "web.example" {
		t.Fatalf("%v %v", m, err)
	}
	if len(w) != 1 || w[0].Text != "CONFIG '"+dir+"' directory does not exist." || w[0].Kind != Missing {
		t.Errorf("warnings %v", w)
	}
	_, w = master(t)
	if len(w) != 1 || w[0].Kind != Missing || !strings.Contains(w[0].Text, "/master does not exist: defaults are used") {
		t.Errorf("warnings %v", w)
	}
}

func TestFileRights(t *testing.T) {
	dir := files(t, "master", "interface: 0.0.0.0\nmysql.pass: secret\n")
	file := filepath.Join(dir, "master")
	if err := os.Chmod(file, 0o646); err != nil {
		t.Fatal(err)
	}
	_, w, err := loadMaster(dir, machine("h"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"master: everyone may write this file (mode 0646): chmod o-w " + file,
		"master:2: mysql.pass is a secret in a file that everyone may read (mode 0646): chmod o-r " + file,
	}
	got := warningTexts(w)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "chmod o-w master", "chmod o-w "+file)
		got[i] = strings.ReplaceAll(got[i], "chmod o-r master", "chmod o-r "+file)
	}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func TestKeepJobsInHours(t *testing.T) {
	if m, _ := master(t, "master", "keep_jobs: 2\n"); m.KeepJobsSeconds != 2*time.Hour {
		t.Errorf("keep_jobs alone: %v", m.KeepJobsSeconds)
	}
	if m, _ := master(t, "master", "keep_jobs: 2\nkeep_jobs_seconds: 7\n"); m.KeepJobsSeconds != 7*time.Second {
		t.Errorf("both: %v", m.KeepJobsSeconds)
	}
}

// Salt's example files consist of comments; a file of comments is an empty file.
func TestEmptyFiles(t *testing.T) {
	for _, text := range []string{"", "# only\n# comments\n", "---\n", "~\n", "---\n...\n"} {
		if m, w := master(t, "master", text); m.Timeout != 5*time.Second || len(w) != 0 {
			t.Errorf("%q: %v %v", text, m.Timeout, w)
		}
	}
}

func TestEveryOptionIsDocumented(t *testing.T) {
	entries, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range entries {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		comment := ""
		for sc := bufio.NewScanner(f); sc.Scan(); {
			line := strings.TrimSpace(sc.Text())
			switch {
			case strings.HasPrefix(line, "//"):
				comment += " " + strings.TrimSpace(strings.TrimPrefix(line, "//"))
				continue
			case strings.Contains(line, "`yaml:\"") && !strings.Contains(line, "inline"):
				seen++
				name := strings.Fields(line)[0]
				if !strings.HasPrefix(comment, " "+name+" ") {
					t.Errorf("%s: the comment of %s does not begin with its name", file, name)
				}
				// docs/reference/options.md shows default and unit from the tags. A comment
				// documents only a default that a tag cannot: a computed one.
				if strings.Contains(line, `default:"`) && strings.Contains(comment, " Default: ") {
					t.Errorf("%s: the comment of %s repeats the default of its tag", file, name)
				}
				_, after, _ := strings.Cut(line, `unit:"`)
				unit, _, _ := strings.Cut(after, `"`)
				if strings.Contains(line, " time.Duration ") && units[unit] == 0 {
					t.Errorf("%s: %s has no unit", file, name)
				}
				if strings.Contains(name, "Bytes") && unit != "byte" {
					t.Errorf("%s: %s has no unit", file, name)
				}
			}
			comment = ""
		}
		f.Close()
	}
	if want := len(masterTable()); seen < want {
		t.Errorf("found %d options in the source, the master alone has %d", seen, want)
	}
}

func TestMySQLOptionsOfAMinion(t *testing.T) {
	m, w := minion(t, "minion", "return: mysql\nmysql.host: db\nalternative.mysql.host: other\nmysql.prot: 1\n")
	if m.MySQL.Host != "db" || m.MySQL.Port != 3306 || !slices.Equal(m.Return, []string{"mysql"}) {
		t.Errorf("%+v %v", m.MySQL, m.Return)
	}
	want := []string{"minion:4: unknown option mysql.prot; did you mean mysql.port?"}
	if got := warningTexts(w); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// The options of a returner are known, and a misspelled one is reported.
func TestKnow(t *testing.T) {
	Know(Returner{Name: "lines", Store: true, Events: true, Options: []string{"lines.file", "lines.pass"}})
	t.Cleanup(func() { clear(extra); stores, events = nil, nil })
	m, w := minion(t, "minion", "return: lines\nlines.file: /x\nalternative.lines.file: /y\nlines.fiel: /z\n")
	if m.Raw["lines.file"] != "/x" || m.Raw["alternative.lines.file"] != "/y" {
		t.Errorf("%v", m.Raw)
	}
	want := []string{"minion:4: unknown option lines.fiel; did you mean lines.file?"}
	if got := warningTexts(w); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	top, _ := master(t, "master", "master_job_cache: lines\nevent_return: [lines]\n")
	if top.MasterJobCache != "lines" || !slices.Equal(top.EventReturn, []string{"lines"}) {
		t.Errorf("%s %v", top.MasterJobCache, top.EventReturn)
	}
	_, _, err := loadMaster(files(t, "master", "master_job_cache: limes\n"), machine("h.example"))
	if err == nil || !strings.Contains(err.Error(), `"limes" is not known; use one of lines, local_cache, mysql, pgjsonb, postgres, redis`) {
		t.Error(err)
	}
	if !holdsSecret(setting{name: "lines.pass", value: "x"}) || holdsSecret(setting{name: "lines.file", value: "x"}) {
		t.Error("what is a secret is not known")
	}
	if _, w := minion(t, "minion", "lines: {file: /x}\n"); len(w) > 0 {
		t.Errorf("options in a map: %v", w)
	}
	if !holdsSecret(setting{name: "lines", value: map[string]any{"password": "x"}}) || holdsSecret(setting{name: "lines", value: map[string]any{"file": "x"}}) {
		t.Error("what is a secret in a map is not known")
	}
}

func TestNotNeededNamesNoOption(t *testing.T) {
	for name := range NotNeeded {
		if _, ok := masterTable()[name]; ok {
			t.Errorf("%s is an option of a master and in NotNeeded", name)
		}
		if _, ok := minionTable()[name]; ok {
			t.Errorf("%s is an option of a minion and in NotNeeded", name)
		}
		if NotYet[name] != 0 {
			t.Errorf("%s is in NotYet and in NotNeeded", name)
		}
	}
}
