package functions

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// host is a minion on a host with fake programs.
type host struct {
	modules.Env
	t      *testing.T
	dir    string
	grains *value.Map
}

func (h host) Option(string) any           { return nil }
func (h host) Grains() *value.Map          { return h.grains }
func (h host) Pillar() *value.Map          { return value.NewMap() }
func (h host) External() *external.Modules { return nil }
func (h host) Log() *slog.Logger           { return slog.New(slog.DiscardHandler) }

// newHost puts fake programs, shell scripts by name, first in PATH. They find their files
// in $here and log their calls to $here/calls.
func newHost(t *testing.T, grains *value.Map, programs map[string]string) host {
	t.Helper()
	h := host{t: t, dir: t.TempDir(), grains: grains}
	t.Setenv("PATH", h.dir+":"+os.Getenv("PATH"))
	for name, body := range programs {
		h.put(name, "#!/bin/sh\nhere="+h.dir+"\necho "+name+" \"$@\" >> $here/calls\n"+body+"\n", 0o755)
	}
	return h
}

func (h host) put(name, text string, mode os.FileMode) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
}

// apply runs a state; args are those of its function besides the name.
func (h host) apply(fun, name string, test bool, args ...any) *states.Result {
	h.t.Helper()
	fn, ok := Lookup(fun)
	if !ok {
		h.t.Fatalf("no state %s", fun)
	}
	given, all, rest := value.NewMap(args...), value.NewMap(), value.NewMap()
	given.Set("name", name)
	for _, a := range fn.Args {
		all.Set(a.Name, a.Default)
	}
	given.Range(func(k, v any) bool {
		if all.Has(k.(string)) {
			all.Set(k, v)
		} else {
			rest.Set(k, v)
		}
		return true
	})
	c := &Call{Call: &states.Call{Fun: fun, Args: all, Kwargs: rest, Test: test, Saltenv: "base"}, Env: h, JID: "20240101000000000001"}
	r, err := fn.Run(context.Background(), c)
	if err != nil {
		h.t.Fatalf("%s %s: %v", fun, name, err)
	}
	return r
}

// wants compares a result.
func (h host) wants(r *states.Result, result any, changes map[string]any, comment string) {
	h.t.Helper()
	if r.Result != result || r.Comment != comment {
		h.t.Errorf("%v %q, want %v %q", r.Result, r.Comment, result, comment)
	}
	got, _ := value.Plain(r.Changes).(map[string]any)
	if d := cmp.Diff(changes, got); d != "" {
		h.t.Errorf("changes (-want +got):\n%s", d)
	}
}

type changed = map[string]any

func systemd(t *testing.T) host {
	h := newHost(t, value.NewMap("init", "systemd"), map[string]string{
		"systemd-run": `shift; exec "$@"`,
		"systemctl": `for w; do name=${w%.service}; done
case "$*" in
*is-active*) [ -f $here/up.$name ];;
*is-enabled*) [ -f $here/on.$name ];;
*status*) case "$*" in *ghost*) exit 4;; *) exit 3;; esac;;
*start\ bad*) echo masked >&2; exit 1;;
*start\ dies*|*mask*odd*) :;;
*mask*shut*) echo cannot >&2; exit 1;;
*restart*|*reload*) :;;
*start*) : > $here/up.$name;;
*stop*) rm -f $here/up.$name;;
*enable*|*disable*) case "$*" in *disable*) rm -f $here/on.$name;; *) : > $here/on.$name;; esac;;
esac`,
	})
	return h
}

func TestService(t *testing.T) {
	h := systemd(t)
	none := changed{}
	h.wants(h.apply("service.running", "web", true, "enable", true), nil, none, "Service web is set to start")
	h.wants(h.apply("service.running", "web", false, "enable", true), true, changed{"web": true}, "Service web has been enabled, and is running")
	h.wants(h.apply("service.running", "web", false, "enable", true), true, none, "The service web is already running")
	h.wants(h.apply("service.running", "web", false, "enable", false), true, changed{"web": true}, "Service web has been disabled, and is in the desired state")
	h.wants(h.apply("service.running", "db", false), true, changed{"db": true}, "Started service db")
	h.wants(h.apply("service.running", "bad", false), false, none, "masked")
	h.wants(h.apply("service.running", "ghost", false), false, none, "The named service ghost is not available")
	h.wants(h.apply("service.running", "ghost", true), nil, none, "Service ghost not present; if created in this state run, it would have been started")
	h.wants(h.apply("service.running", "web", false, "enabled", true), false, none, `Service web uses non-existent option "enabled".  Perhaps "enable" option was intended?`)
	h.wants(h.apply("service.dead", "db", true), nil, none, "Service db is set to be killed")
	h.wants(h.apply("service.dead", "db", false), true, changed{"db": false}, "Service db was killed")
	h.wants(h.apply("service.dead", "db", false), true, none, "The service db is already dead")
	h.wants(h.apply("service.dead", "ghost", false), true, none, "The named service ghost is not available")
	h.wants(h.apply("service.enabled", "web", true), nil, none, "Service web set to be enabled")
	h.wants(h.apply("service.enabled", "web", false), true, changed{"web": true}, "Service web has been enabled, and is in the desired state")
	h.wants(h.apply("service.enabled", "web", false), true, none, "Service web is already enabled, and is in the desired state")
	h.wants(h.apply("service.disabled", "ghost", false), true, none, "The named service ghost is not available")
	h.wants(h.apply("service.mod_watch", "web", true, "sfun", "running"), nil, none, "Service is set to be restarted")
	h.wants(h.apply("service.mod_watch", "web", false, "sfun", "running", "reload", true), true, changed{"web": true}, "Service reloaded")
	h.wants(h.apply("service.mod_watch", "db", false, "sfun", "dead"), true, none, "Service is already stopped")
}

func debian(t *testing.T) host {
	h := newHost(t, value.NewMap("os_family", "Debian", "osarch", "amd64"), map[string]string{
		"dpkg-query": `cat $here/installed`,
		"apt-get": `case "$*" in
*install*nosuch*) echo 'E: no nosuch' >&2; exit 100;;
*install*) echo "install ok installed vim 9.1-1 amd64" >> $here/installed;;
*remove*|*purge*) grep -v ' vim ' $here/installed > $here/left; mv $here/left $here/installed;;
esac`,
		"apt-cache": `case "$*" in *bash*) echo '  Candidate: 5.2-1';; *vim*) echo '  Candidate: 9.1-1';; *) echo '  Candidate: (none)';; esac`,
		"dpkg": `case "$1" in --get-selections) cat $here/selections;;
--set-selections) read name want; grep -v "^$name " $here/selections > $here/others; { cat $here/others; echo "$name $want"; } > $here/selections;;
--compare-versions) [ "$2" "$(case $3 in lt) echo '<';; gt) echo '>';; *) echo '=';; esac)" "$4" ];; esac`,
	})
	h.put("installed", "install ok installed bash 5.2-1 amd64\n", 0o644)
	h.put("selections", "bash install\n", 0o644)
	return h
}

func TestPkg(t *testing.T) {
	h := debian(t)
	none := changed{}
	vim := changed{"vim": changed{"old": "", "new": "9.1-1"}}
	h.wants(h.apply("pkg.installed", "bash", false), true, none, "All specified packages are already installed")
	h.wants(h.apply("pkg.installed", "bash", false, "version", "5.2-1"), true, none, "All specified packages are already installed and are at the desired version")
	h.wants(h.apply("pkg.installed", "bash", false, "version", "5.*"), true, none, "All specified packages are already installed and are at the desired version")
	h.wants(h.apply("pkg.installed", "x", false, "pkgs", []any{}), true, none, "No packages to install provided")
	h.wants(h.apply("pkg.installed", "vim", true), nil, changed{"vim": changed{"new": "installed", "old": ""}}, "The following packages would be installed/updated: vim")
	h.wants(h.apply("pkg.latest", "vim", true), nil, none, "The following packages would be installed/upgraded: vim")
	h.wants(h.apply("pkg.installed", "x", false, "pkgs", []any{"vim", "bash"}), true, vim,
		"The following packages were installed/updated: vim\nThe following packages were already installed: bash")
	h.wants(h.apply("pkg.latest", "bash", false), true, none, "Package bash is already up-to-date")
	h.wants(h.apply("pkg.latest", "nosuch", false), false, none, "No information found for 'nosuch'.")
	h.wants(h.apply("pkg.installed", "nosuch", false), false, none,
		"Problem encountered installing package(s). Additional info follows:\n\nerrors:\n    - E: no nosuch")
	h.wants(h.apply("pkg.removed", "vim", true), nil, changed{"vim": changed{"new": "removed", "old": ""}}, "The following packages will be removed: vim.")
	h.wants(h.apply("pkg.removed", "vim", false), true, changed{"vim": changed{"old": "9.1-1", "new": ""}}, "All targeted packages were removed.")
	h.wants(h.apply("pkg.removed", "vim", false), true, none, "All specified packages are already absent")
	h.wants(h.apply("pkg.purged", "vim", false), true, none, "None of the targeted packages are installed or partially installed")
	h.wants(h.apply("pkg.uptodate", "all", false), true, none, "System is already up-to-date")
	data, err := os.ReadFile(filepath.Join(h.dir, "calls"))
	if err != nil || strings.Contains(string(data), "install bash") {
		t.Errorf("%s, %v", data, err)
	}
}

// A state of pkg with an unsupported keyword fails before it changes anything, with a
// message that names the keyword. Values without an effect are accepted.
func TestPkg_Keywords(t *testing.T) {
	h := debian(t)
	for _, c := range []struct {
		fun, keyword string
		v            any
		advice       string // "": accepted
	}{
		{"pkg.installed", "skip_suggestions", true, ""},
		{"pkg.installed", "skip_suggestions", false, "nothing is suggested"},
		{"pkg.installed", "normalize", false, ""},
		{"pkg.installed", "normalize", true, ""},
		{"pkg.installed", "update_holds", true, ""},
		{"pkg.installed", "update_holds", false, "always changed"},
		{"pkg.installed", "install_recommends", false, ""},
		{"pkg.installed", "resolve_capabilities", true, "provides it"},
		{"pkg.installed", "odd", 1, "leave it out"},
		{"pkg.installed", "__env__", "base", ""},
		{"pkg.latest", "watch_flags", true, "Gentoo"},
		{"pkg.latest", "watch_flags", false, ""},
		{"pkg.latest", "install_recommends", true, ""},
		{"pkg.latest", "odd", 1, "leave it out"},
		{"pkg.removed", "normalize", true, ""},
		{"pkg.removed", "odd", 1, "leave it out"},
		{"pkg.purged", "odd", 1, "leave it out"},
		{"pkg.uptodate", "odd", 1, "leave it out"},
	} {
		args := []any{c.keyword, c.v}
		if c.fun == "pkg.uptodate" {
			args = append(args, "refresh", false)
		}
		r := h.apply(c.fun, "vim", true, args...)
		refused := r.Result == false && strings.Contains(r.Comment, c.keyword) && strings.Contains(r.Comment, "does not support") &&
			strings.Contains(r.Comment, c.advice)
		if refused != (c.advice != "") {
			t.Errorf("%s with %s=%v: %v %q", c.fun, c.keyword, c.v, r.Result, r.Comment)
		}
	}
}

func TestCron(t *testing.T) {
	h := newHost(t, value.NewMap(), map[string]string{"crontab": `[ "$1" = -u ] && shift 2
case $1 in -l) cat $here/tab;; *) cp "$1" $here/tab;; esac`})
	h.put("tab", "", 0o644)
	none, set := changed{}, changed{"root": "/bin/a"}
	h.wants(h.apply("cron.present", "/bin/a", true), nil, none, "Cron /bin/a is set to be added")
	h.wants(h.apply("cron.present", "/bin/a", false, "minute", int64(5)), true, set, "Cron /bin/a added to root's crontab")
	h.wants(h.apply("cron.present", "/bin/a", false, "minute", int64(5)), true, none, "Cron /bin/a already present")
	h.wants(h.apply("cron.present", "/bin/a", true, "minute", int64(6)), nil, none, "Cron /bin/a is set to be updated")
	h.wants(h.apply("cron.present", "/bin/a", false, "minute", int64(6)), true, set, "Cron /bin/a updated")
	h.wants(h.apply("cron.present", "/bin/a", true, "minute", int64(6)), true, none, "Cron /bin/a already present")
	h.wants(h.apply("cron.absent", "/bin/a", true), nil, none, "Cron /bin/a is set to be removed")
	h.wants(h.apply("cron.absent", "/bin/a", false), true, set, "Cron /bin/a removed from root's crontab")
	h.wants(h.apply("cron.absent", "/bin/a", false), true, none, "Cron /bin/a already absent")
	h.wants(h.apply("cron.absent", "/bin/a", true), true, none, "Cron /bin/a is absent")
	h.wants(h.apply("cron.env_present", "MAILTO", false, "value", "x"), true, changed{"root": "MAILTO"}, "Cron env MAILTO added to root's crontab")
	h.wants(h.apply("cron.env_present", "MAILTO", true, "value", "y"), nil, none, "Cron env MAILTO is set to be updated")
	h.wants(h.apply("cron.env_absent", "MAILTO", false), true, changed{"root": "MAILTO"}, "Cron env MAILTO removed from root's crontab")
}

// accounts is a host with the accounts that getent prints.
func accounts(t *testing.T) host {
	h := newHost(t, value.NewMap(), map[string]string{ //nolint:gosec // programs, not credentials
		"getent":   `if [ $# = 3 ]; then grep "^$3:" $here/$1; else cat $here/$1; fi`,
		"groupadd": `for w; do name=$w; done; echo "$name:x:7000:" >> $here/group`,
		"groupdel": `sed -i "/^$1:/d" $here/group`,
		"gpasswd":  `case $1 in --add) sed -i "/^$3:/s/\$/$2/" $here/group;; --members) sed -i "/^$3:/s/:[^:]*\$/:$2/" $here/group;; esac`,
		"useradd":  `for w; do name=$w; done; echo "$name:x:7001:7000::/nowhere:/bin/sh" >> $here/passwd`,
		"usermod":  `while [ $# -gt 1 ]; do case $1 in -s) sh=$2; shift;; esac; shift; done; sed -i "s|^\($1:.*:\)[^:]*\$|\1$sh|" $here/passwd`,
		"userdel":  `for w; do name=$w; done; sed -i "/^$name:/d" $here/passwd`,
	})
	h.put("passwd", "", 0o644)
	h.put("group", "root:x:0:\n", 0o644)
	return h
}

func TestGroupAndUser(t *testing.T) {
	h := accounts(t)
	none := changed{}
	h.wants(h.apply("group.present", "momtestg", true), nil, none, "Group momtestg set to be added")
	h.wants(h.apply("group.present", "momtestg", false), true,
		changed{"name": "momtestg", "passwd": "x", "gid": int64(7000), "members": []any{}}, "New group momtestg created")
	h.wants(h.apply("group.present", "momtestg", false), true, none, "Group momtestg is present and up to date")
	h.wants(h.apply("group.present", "momtestg", true, "addusers", []any{"bob"}), nil, none,
		"The following group attributes are set to be changed:\naddusers: ['bob']\n")
	h.wants(h.apply("group.present", "momtestg", false, "addusers", []any{"bob"}), true, changed{"Final": "All changes applied successfully"},
		"The following group attributes are set to be changed:\naddusers: ['bob']\n")
	h.wants(h.apply("group.present", "x", false, "members", []any{"a"}, "addusers", []any{"b"}), nil, none,
		`Error: Conflicting options "members" with "addusers" and/or "delusers" can not be used together. `)
	h.wants(h.apply("user.present", "momtestu", true), nil, none, "User momtestu set to be added")
	h.wants(h.apply("user.present", "momtestu", true, "groups", []any{"none", "momtestg", "other"}), nil, none,
		"User momtestu set to be added (pending groups: none,other)")
	r := h.apply("user.present", "momtestu", false, "createhome", false)
	if r.Result != true || r.Comment != "New user momtestu created" || r.Changes.Int("uid") != 7001 {
		t.Errorf("%+v", r)
	}
	h.wants(h.apply("user.present", "momtestu", false, "createhome", false), true, none, "User momtestu is present and up to date")
	h.wants(h.apply("user.present", "momtestu", true, "createhome", false, "shell", "/bin/zsh"), nil, none,
		"The following user attributes are set to be changed:\nshell: /bin/zsh\n")
	h.wants(h.apply("user.present", "momtestu", true, "createhome", false, "shell", "/bin/zsh", "groups", []any{"none", "momtestg"}), nil, none,
		"The following user attributes are set to be changed:\nshell: /bin/zsh\ngroups (pending creation): none\n")
	h.wants(h.apply("user.present", "momtestu", true, "createhome", false, "groups", []any{"none", "momtestg"}), true, none, "User momtestu is present and up to date")
	h.wants(h.apply("user.present", "momtestu", false, "createhome", false, "shell", "/bin/zsh"), true, changed{"shell": "/bin/zsh"}, "Updated user momtestu")
	h.wants(h.apply("user.present", "momtestu", false, "createhome", false, "uid", int64(5)), false, none,
		"Encountered error checking for needed changes. Additional info follows:\n\n- Changing uid (7001 -> 5) not permitted, "+
			"set allow_uid_change to True to force this change. Note that this will not change file ownership.")
	h.wants(h.apply("user.present", "momtestu", false, "groups", []any{"none"}), false, none, "The following group(s) are not present: none")
	h.wants(h.apply("user.present", "momtestu", false, "hash_password", true), false, none, "This minion does not support hash_password of user.present")
	h.wants(h.apply("user.absent", "momtestu", true), nil, none, "User momtestu set for removal")
	h.wants(h.apply("user.absent", "momtestu", false), true, changed{"momtestu": "removed"}, "Removed user momtestu")
	h.wants(h.apply("user.absent", "momtestu", false), true, none, "User momtestu is not present")
	h.wants(h.apply("group.absent", "momtestg", false), true, changed{"momtestg": ""}, "Removed group momtestg")
	h.wants(h.apply("group.absent", "momtestg", false), true, none, "Group not present")
}

func TestSSHAuth(t *testing.T) {
	h := newHost(t, value.NewMap(), map[string]string{"getent": `[ "$3" = momkeys ] && cat $here/passwd`})
	home := t.TempDir()
	h.put("passwd", "momkeys:x:"+modules.PyStr(os.Geteuid())+":"+modules.PyStr(os.Getegid())+"::"+home+":/bin/sh\n", 0o644)
	const key = "AAAAC3NzaC1lZDI1NTE5AAAAIGVjaG8="
	const full = "no-pty ssh-ed25519 " + key + " me at home"
	none := changed{}
	h.wants(h.apply("ssh_auth.present", full, true, "user", "momkeys"), nil, none, "Key "+key+" for user momkeys is set to be added")
	h.wants(h.apply("ssh_auth.present", full, false, "user", "momkeys"), true, changed{key: "New"}, "The authorized host key "+key+" for user momkeys was added")
	h.wants(h.apply("ssh_auth.present", full, false, "user", "momkeys"), true, none, "The authorized host key "+key+" is already present for user momkeys")
	h.wants(h.apply("ssh_auth.present", key, false, "user", "momkeys", "enc", "ed25519"), true, changed{key: "Updated"}, "The authorized host key "+key+" for user momkeys was updated")
	h.wants(h.apply("ssh_auth.absent", key, true, "user", "momkeys", "enc", "ed25519"), nil, none, "Key "+key+" for user momkeys is set for removal")
	h.wants(h.apply("ssh_auth.absent", key, false, "user", "momkeys"), true, changed{key: "Removed"}, "Key removed")
	h.wants(h.apply("ssh_auth.absent", key, false, "user", "momkeys"), true, none, "Key not present")
	h.wants(h.apply("ssh_auth.present", "n*t", false, "user", "momkeys"), false, none, "Invalid public ssh key, most likely has spaces or invalid syntax")
}
