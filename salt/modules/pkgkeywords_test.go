package modules

import (
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// A keyword is supported, or an error that names it and an alternative. Values without an
// effect are accepted, and so are the keywords that Salt adds to a call.
func TestPkg_Keywords(t *testing.T) {
	for _, c := range []struct {
		fun     string
		p       packager
		keyword string
		v       any
		advice  string // "": accepted
	}{
		{"install", apt{}, "version", "1", ""},
		{"install", apt{}, "install_recommends", false, ""},
		{"install", dnf{"dnf"}, "install_recommends", false, "no such thing"},
		{"install", dnf{"dnf"}, "install_recommends", nil, ""},
		{"install", zypper{}, "only_upgrade", true, "pkg.latest"},
		{"install", zypper{}, "only_upgrade", false, ""},
		{"install", apk{}, "force_conf_new", true, "no such thing"},
		{"install", apk{}, "force_yes", true, "skip_verify"},
		{"install", dnf{"yum"}, "cache_valid_time", int64(60), "refresh=False"},
		{"install", dnf{"yum"}, "cache_valid_time", int64(0), ""},
		{"install", dnf{"yum"}, "enablerepo", "epel", ""},
		{"install", apt{}, "enablerepo", "epel", "fromrepo"},
		{"install", zypper{}, "disablerepo", "x", "fromrepo"},
		{"install", apt{}, "hold", true, "pkg.hold"},
		{"install", apt{}, "hold", false, "pkg.unhold"},
		{"install", apt{}, "hold", nil, ""},
		{"install", apt{}, "allow_updates", true, "pkg.installed"},
		{"install", apt{}, "allow_updates", false, ""},
		{"install", apt{}, "test", true, "state.single"},
		{"install", apt{}, "test", false, ""},
		{"install", zypper{}, "resolve_capabilities", true, "provides it"},
		{"install", zypper{}, "resolve_capabilities", false, ""},
		{"install", apt{}, "update_holds", true, ""},
		{"install", apt{}, "update_holds", false, "always changed"},
		{"install", dnf{"dnf"}, "update_holds", false, ""},
		{"install", dnf{"dnf"}, "update_holds", true, "pkg.unhold"},
		{"install", apt{}, "normalize", false, ""},
		{"install", apt{}, "normalize", true, "pkg.list_pkgs"},
		{"install", apt{}, "debconf", "salt://x", "debconf-set-selections"},
		{"install", apk{}, "fromrepo", "edge", "repositories"},
		{"install", apk{}, "reinstall", true, "remove the package"},
		{"install", apk{}, "downloadonly", true, "leave it out"},
		{"install", zypper{}, "reinstall", true, ""},
		{"install", apt{}, "odd", nil, "leave it out"},
		{"install", apt{}, "__pub_jid", "1", ""},
		{"install", apt{}, "__env__", "base", ""},
		{"install", apt{}, "__id__", "vim", ""},
		{"list_pkgs", apt{}, "attr", []any{"arch"}, "versions"},
		{"list_pkgs", apt{}, "use_context", false, ""},
		{"list_pkgs", zypper{}, "root", "/mnt", "leave it out"},
		{"list_pkgs", apt{}, "__pub_fun", "pkg.list_pkgs", ""},
		{"remove", apt{}, "auto_remove", true, "leave it out"},
		{"remove", apt{}, "version", "1", "leave it out"},
		{"remove", apt{}, "__pub_tgt", "*", ""},
		{"purge", apt{}, "normalize", true, "pkg.list_pkgs"},
		{"hold", apt{}, "odd", true, "leave it out"},
		{"upgrade", apt{}, "dist_upgrade", true, ""},
		{"upgrade", dnf{"dnf"}, "dist_upgrade", true, "one kind"},
		{"upgrade", apk{}, "skip_verify", true, "pkg.install"},
		{"upgrade", zypper{}, "skip_verify", true, ""},
		{"upgrade", apt{}, "pkgs", []any{"vim"}, "all packages"},
		{"latest_version", apk{}, "fromrepo", "edge", "repositories"},
		{"latest_version", apt{}, "refresh", false, ""},
		{"list_upgrades", dnf{"dnf"}, "dist_upgrade", false, "listed"},
		{"list_upgrades", zypper{}, "fromrepo", "x", "pkg.latest_version"},
		{"refresh_db", zypper{}, "fromrepo", "x", "all lists"},
		{"version", apt{}, "versions_as_list", true, "leave it out"},
	} {
		fn, ok := Lookup("pkg." + c.fun)
		if !ok {
			t.Fatal(c.fun)
		}
		call := &Call{fn: fn, Kwargs: value.NewMap()}
		declared := false
		for _, a := range fn.Args {
			call.Args = append(call.Args, a.Default)
			declared = declared || a.Name == c.keyword
		}
		if call.set(c.keyword, c.v); !declared {
			call.Kwargs.Set(c.keyword, c.v)
		}
		err := call.checkPkg(c.fun, c.p)
		switch {
		case c.advice == "" && err != nil:
			t.Errorf("pkg.%s on %T, %s=%v: %v", c.fun, c.p, c.keyword, c.v, err)
		case c.advice != "" && (err == nil || !strings.Contains(err.Error(), c.keyword+" (") || !strings.Contains(err.Error(), c.advice)):
			t.Errorf("pkg.%s on %T, %s=%v: %v, want it refused with %q", c.fun, c.p, c.keyword, c.v, err, c.advice)
		}
	}
}

// A rejected call of any function changes nothing on the host.
func TestPkg_RefusedBeforeAnyChange(t *testing.T) {
	f := fakeApt(t)
	env := debian()
	for _, call := range [][]any{
		{"pkg.install", "vim", "hold=True"},
		{"pkg.remove", "bash", "odd=1"},
		{"pkg.remove", kw("pkgs", []any{value.NewMap("bash", "1.0")})},
		{"pkg.purge", "bash", "odd=1"},
		{"pkg.hold", kw("pkgs", []any{value.NewMap("bash", "1.0")})},
		{"pkg.unhold", "bash", "odd=1"},
		{"pkg.upgrade", "odd=1"},
		{"pkg.list_pkgs", "odd=1"},
		{"pkg.version", "bash", "odd=1"},
		{"pkg.latest_version", "bash", "odd=1"},
		{"pkg.upgrade_available", "bash", "odd=1"},
		{"pkg.list_upgrades", "odd=1"},
		{"pkg.refresh_db", "odd=1"},
		{"pkg.version_cmp", "1", "2", "odd=1"},
		{"pkg.file_list", "bash", "odd=1"},
		{"pkg.owner", "/bin/bash", "odd=1"},
		{"pkg.list_holds", "odd=1"},
	} {
		r := run(t, env, call[0].(string), call[1:]...)
		if r.Success || !strings.Contains(PyStr(r.Value), "does not support") || len(f.called("apt-get")) > 0 {
			t.Errorf("%v: %v", call, r.Value)
		}
	}
	same(t, "the version that is there", result(t, env, "pkg.remove", kw("pkgs", []any{value.NewMap("bash", "5.2-1")})), m{})
}
