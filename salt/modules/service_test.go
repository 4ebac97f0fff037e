package modules

import (
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

func fakeSystemd(t *testing.T) (*fakes, *fakeEnv) {
	f := withFakes(t, map[string]string{
		"systemctl": `case "$*" in
*is-active*nginx.service) exit 0;; *is-active*) exit 3;;
*is-enabled*nginx.service) exit 0;; *is-enabled*) exit 1;;
*status*ghost*) exit 4;; *status*stale*) echo "Warning: run 'systemctl daemon-reload'"; exit 3;; *status*) exit 3;;
*"start bad"*) echo 'Running as unit: run-1.scope' >&2; echo 'Unit bad.service is masked.' >&2; exit 1;;
*"stop bad"*) exit 1;;
*list-unit-files*) printf 'nginx.service enabled enabled\nssh.socket disabled enabled\ndbus.service static -\nodd.slice enabled\n';;
*show*) printf 'Id=nginx.service\nAfter=a.target b.target\nExecStart={ path=/usr/sbin/nginx ; argv[]=x }\n';;
--full*) printf 'nginx.service loaded active running web\nx.mount loaded active mounted x\n';;
esac`,
		"systemd-run": `shift; exec "$@"`,
	})
	env := newEnv()
	env.grains = value.NewMap("init", "systemd")
	return f, env
}

func TestService_Systemd(t *testing.T) {
	f, env := fakeSystemd(t)
	root := t.TempDir() // a host without init scripts
	calls(t, env, []callCase{
		{"service.status", []any{"nginx"}, true},
		{"service.status", []any{"ssh"}, false},
		{"service.enabled", []any{"nginx"}, true},
		{"service.disabled", []any{"nginx"}, false},
		{"service.available", []any{"nginx"}, true},
		{"service.available", []any{"ghost"}, false},
		{"service.missing", []any{"ghost"}, true},
		{"service.start", []any{"nginx"}, true},
		{"service.start", []any{"bad"}, "ERROR: Unit bad.service is masked."},
		{"service.stop", []any{"bad"}, false},
		{"service.get_enabled", []any{root}, []any{"nginx"}},
		{"service.get_disabled", []any{root}, []any{"ssh.socket"}},
		{"service.get_static", nil, []any{"dbus"}},
		{"service.get_running", nil, []any{"nginx"}},
		{"service.show", []any{"nginx"}, m{"Id": "nginx.service", "After": []any{"a.target", "b.target"}, "ExecStart": m{"path": "/usr/sbin/nginx", "argv[]": "x"}}},
		{"service.start", []any{"--root=/x"}, "ERROR executing 'service.start': the name of a service '--root=/x' is invalid: it is empty, begins with -, or contains a line break"},
	})
	f.called("")
	result(t, env, "service.restart", "stale", "no_block=True")
	got := strings.Join(f.called(""), "\n")
	if !strings.Contains(got, "systemctl [--system] [daemon-reload]") || !strings.Contains(got, "systemd-run [--scope] [systemctl] [--no-block] [restart] [stale.service]") {
		t.Error(got)
	}
	env.options.Set("systemd.scope", false)
	result(t, env, "service.reload", "x.timer")
	if got := f.called("systemd-run"); len(got) > 0 {
		t.Error(got)
	}
}

func TestService_OpenRC(t *testing.T) {
	f := withFakes(t, map[string]string{
		"rc-service": `case "$*" in "nginx status") exit 0;; *status) exit 3;; esac`,
		"rc-update":  `case "$*" in *show*) printf '  nginx | default\n  sshd |\n';; esac`,
	})
	env := newEnv()
	env.grains = value.NewMap("init", "openrc")
	calls(t, env, []callCase{
		{"service.status", []any{"nginx"}, true},
		{"service.status", []any{"sshd"}, false},
		{"service.enabled", []any{"nginx"}, true},
		{"service.enabled", []any{"sshd"}, false},
		{"service.get_all", nil, []any{"nginx", "sshd"}},
		{"service.get_disabled", nil, []any{"sshd"}},
		{"service.enable", []any{"sshd", "runlevels=boot"}, true},
		{"service.available", []any{"none"}, false},
	})
	if got := f.called("rc-update [add]"); len(got) != 1 || got[0] != "rc-update [add] [sshd] [boot]" {
		t.Error(got)
	}
	if r := run(t, env, "service.start", "nginx", "unmask=True"); r.Success {
		t.Errorf("an option of systemd is taken: %v", r.Value)
	}
}

// TestService_SysV enables and disables with Debian's update-rc.d: links are renamed, not
// removed.
func TestService_SysV(t *testing.T) {
	f := withFakes(t, map[string]string{
		"service":     `case "$*" in "nginx status") exit 0;; *) exit 3;; esac`,
		"update-rc.d": `case "$*" in "ghost "*) exit 1;; esac`,
		"runlevel":    "echo N 2",
	})
	env := newEnv()
	env.grains = value.NewMap("init", "unknown")
	calls(t, env, []callCase{
		{"service.status", []any{"nginx"}, true},
		{"service.enable", []any{"nginx"}, true},
		{"service.disable", []any{"nginx"}, true},
		{"service.enable", []any{"ghost"}, false},
	})
	got := strings.Join(f.called("update-rc.d"), "\n")
	want := "update-rc.d [nginx] [defaults]\nupdate-rc.d [nginx] [enable]\nupdate-rc.d [nginx] [disable]\nupdate-rc.d [ghost] [defaults]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
