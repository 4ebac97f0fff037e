package wheels

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/value"
)

// configured returns the options of a master with secrets in its file.
func configured(t *testing.T) *config.Master {
	t.Helper()
	dir := t.TempDir()
	file := "id: top\nkey_pass: hush-key\nsigning_key_pass: hush-sign\nmysql.pass: hush-sql\nsharedsecret: hush-shared\n" +
		"auth.ldap: {uri: 'ldap://x', bindpw: hush-ldap}\nalternative.mysql.pass: hush-other\ngit_pillar_password: hush-git\n" +
		"ext_pillar:\n  - git:\n    - https://fred:hush-url@git.example/pillar:\n      - password: hush-in\n      - env: base\n" +
		"external_auth: {file: {^filename: /etc/users, fred: ['@runner']}}\nuser_tokens: [hush-a, hush-b]\nredis: {pw: 4711001}\napiKey: hush-api\n"
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	conf, _, err := config.LoadMaster(dir)
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

// called calls a function as a client does.
func called(t *testing.T, conf *config.Master, load ...any) (any, error) {
	t.Helper()
	c := &Call{Bound: BindLoad(value.NewMap(append([]any{"cmd", "wheel"}, load...)...))}
	c.Env.Config = conf
	return Run(t.Context(), c)
}

// Secrets are hidden wherever they are; other values are shown.
func TestConfigValues_Secrets(t *testing.T) {
	v, err := called(t, configured(t), "fun", "config.values")
	m, ok := v.(*value.Map)
	if err != nil || !ok {
		t.Fatalf("%v, %v", v, err)
	}
	text := fmt.Sprint(value.Plain(m))
	if strings.Contains(text, "hush") || strings.Contains(text, "4711001") {
		t.Errorf("a secret is shown: %s", text)
	}
	for name, want := range map[string]any{
		"key_pass": config.Masked, "signing_key_pass": config.Masked, "mysql.pass": config.Masked, "sharedsecret": config.Masked,
		"id": "top", "timeout": int64(5), "mysql.host": "salt", "git_pillar_password": config.Masked, "apiKey": config.Masked,
	} {
		if got, _ := m.Get(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if m.Map("external_auth").Map("file").List("fred")[0] != "@runner" || m.Map("auth.ldap").String("uri") != "ldap://x" {
		t.Errorf("options that are not secret are not shown: %s", text)
	}
}

// Options that no file sets have the type of Salt's default; others have the type of their value.
func TestConfigValues_Types(t *testing.T) {
	v, err := called(t, configured(t), "fun", "config.values")
	m, ok := v.(*value.Map)
	if err != nil || !ok {
		t.Fatalf("%v, %v", v, err)
	}
	for name, want := range map[string]any{
		"fileserver_backend": []any{"roots"}, "event_return": "", "decrypt_pillar": []any{}, "decrypt_pillar_renderers": []any{"gpg"},
		"gitfs_remotes": []any{}, "gitfs_root": "", "ext_job_cache": "", "reactor": []any{}, "nodegroups": value.NewMap(), "master_job_cache": "local_cache",
	} {
		if got, _ := m.Get(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", name, got, want)
		}
	}
}

// Only harmless options with valid values are written, to files of their own.
func TestConfigUpdate_Limits(t *testing.T) {
	for _, c := range []struct {
		load []any
		want string // in the error; "" means success
	}{
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("timeout", int64(7), "state_output", "terse")}, ""},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("external_auth", value.NewMap())}, "external_auth may not be set remotely"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("timeout", int64(7), "publisher_acl", value.NewMap())}, "publisher_acl may not be set remotely"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("client_acl", value.NewMap())}, "unknown option client_acl"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("include", "/tmp/x")}, "include may not be set remotely"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("root_dir", "/tmp")}, "root_dir may not be set remotely"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("sharedsecret", "x")}, "option sharedsecret"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("mysql.host", "x")}, "mysql.host may not be set remotely"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("hgfs_remotes", value.NewMap())}, "not supported yet"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("timeuot", 7)}, "did you mean timeout?"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("timeout", "soon")}, "wants a number of seconds"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("timeout", int64(-1))}, "timeout"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("timeout", nil)}, "wants a value"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("log_level", "loud")}, "log_level"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap(int64(7), int64(7))}, "not the name of an option"},
		{[]any{"file_name", "gui", "yaml_contents", "timeout: 7"}, "is not a mapping"},
		{[]any{"file_name", "../gui", "yaml_contents", value.NewMap("timeout", int64(7))}, "use letters"},
		{[]any{"file_name", "", "yaml_contents", value.NewMap("timeout", int64(7))}, "use letters"},
		{[]any{"file_name", "theirs", "yaml_contents", value.NewMap("timeout", int64(7))}, "is not changed"},
		{[]any{"file_name", "link", "yaml_contents", value.NewMap("timeout", int64(7))}, "not a regular file"},
		{[]any{"file_name", "gui", "yaml_contents", value.NewMap("out.table.delim", "x\nopen_mode: true")}, ""},
	} {
		conf := configured(t)
		dir := filepath.Join(conf.Dir, "master.d")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "theirs.conf"), []byte("timeout: 3\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.load[1] == "link" {
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.conf")); err != nil {
				t.Fatal(err)
			}
		}
		v, err := called(t, conf, append([]any{"fun", "config.update_config"}, c.load...)...)
		_, statErr := os.Stat(filepath.Join(dir, "gui.conf"))
		if c.want == "" {
			if err != nil || v != "Wrote gui.conf" || statErr != nil {
				t.Errorf("%v: %v, %v, %v", c.load, v, err, statErr)
			}
			if again, _, err := config.LoadMaster(conf.Dir); err != nil || again.OpenMode {
				t.Errorf("%v: %v", c.load, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.load, err, c.want)
		}
		if statErr == nil {
			t.Errorf("%v: it is written", c.load)
		}
	}
}

// Options that are set one by one are kept together and read at the next start.
func TestConfigApply(t *testing.T) {
	conf := configured(t)
	for _, kv := range [][2]any{{"timeout", int64(7)}, {"keep_jobs_seconds", int64(60)}, {"timeout", int64(8)}, {"state_output_exclude", []any{"True"}}} {
		if v, err := called(t, conf, "fun", "config.apply", "key", kv[0], "value", kv[1]); err != nil || v != nil {
			t.Fatalf("%v: %v, %v", kv, v, err)
		}
	}
	again, _, err := config.LoadMaster(conf.Dir)
	if err != nil || again.Timeout.Seconds() != 8 || again.KeepJobsSeconds.Seconds() != 60 || len(again.StateOutputExclude) != 1 {
		t.Errorf("%v, %+v", err, again)
	}
	if _, err := called(t, conf, "fun", "config.apply", "key", "open_mode", "value", true); err == nil || !strings.Contains(err.Error(), "open_mode") {
		t.Errorf("open_mode: %v", err)
	}
	// A value that conflicts with the existing files is rolled back.
	if err := os.WriteFile(filepath.Join(conf.Dir, "master.d", "bad.conf"), []byte("ret_port: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(conf.Dir, "master.d", "wheel.conf"))
	if _, err := called(t, conf, "fun", "config.apply", "key", "timeout", "value", int64(9)); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("with a configuration that cannot be read: %v", err)
	}
	if after, _ := os.ReadFile(filepath.Join(conf.Dir, "master.d", "wheel.conf")); string(after) != string(before) || len(after) == 0 {
		t.Errorf("%q was %q", after, before)
	}
	// Nothing is written where no file would be read.
	conf.DefaultInclude = []string{"master.d/*.yml"}
	if _, err := called(t, conf, "fun", "config.apply", "key", "timeout", "value", int64(9)); err == nil || !strings.Contains(err.Error(), "would not be read") {
		t.Errorf("beside default_include: %v", err)
	}
	conf.DefaultInclude = nil
	if _, err := called(t, conf, "fun", "config.apply", "key", "timeout", "value", int64(9)); err == nil {
		t.Error("without default_include")
	}
}

func TestConfig_Nothing(t *testing.T) {
	for _, fun := range []string{"config.values", "config.apply", "config.update_config", "key.gen_signature", "minions.connected"} {
		load := []any{"fun", fun}
		if fun == "config.apply" {
			load = append(load, "key", "timeout", "value", int64(1))
		}
		if fun == "config.update_config" {
			load = append(load, "file_name", "x", "yaml_contents", value.NewMap())
		}
		if v, err := called(t, nil, load...); err == nil {
			t.Errorf("%s: %v", fun, v)
		}
	}
}

// For any values, a file holds exactly these options, or nothing is written.
func FuzzFormatted(f *testing.F) {
	f.Add("timeout", "7")
	f.Add("a: b\n", "x\nopen_mode: true")
	f.Add("---", "...")
	f.Add("\x00", "\xff")
	f.Fuzz(func(t *testing.T, name, text string) {
		options := value.NewMap(name, text, "other", []any{text, value.NewMap(name, text)})
		b, err := formatted(options)
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "x.conf")
		if err := os.WriteFile(path, append([]byte(written), b...), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readOptions(path)
		if err != nil || got.Len() != options.Len() || !got.Has(name) {
			t.Errorf("%q reads as %v, %v", b, got, err)
		}
	})
}
