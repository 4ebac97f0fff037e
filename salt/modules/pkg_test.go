package modules

import (
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// fakeApt is a Debian host with some packages: $here/installed has lines in the form of
// dpkg-query, and an install appends $here/new.
func fakeApt(t *testing.T) *fakes {
	f := withFakes(t, map[string]string{
		"dpkg-query": `cat $here/installed`,
		"apt-get": `case "$*" in
*update*) echo 'Get:1 http://deb/x stable InRelease [151 kB]'; echo 'Hit:2 http://deb/y stable'; echo 'Err:3 http://deb/z stable';;
*--just-print*) echo 'Conf bash (5.3-1 Debian:testing [amd64])'; echo 'Inst zsh';;
*install*nosuch*) echo 'E: Unable to locate package nosuch' >&2; exit 100;;
*install*) cat $here/new >> $here/installed;;
*remove*|*purge*) grep -v ' vim ' $here/installed > $here/left; mv $here/left $here/installed;;
esac`,
		"apt-cache": `case "$*" in *bash*) echo '  Candidate: 5.3-1';; *vim*) echo '  Candidate: 9.1-1';; *) echo '  Candidate: (none)';; esac`,
		"dpkg": `case "$1" in
--compare-versions) [ "$2" "$(case $3 in lt) echo '<';; gt) echo '>';; *) echo '=';; esac)" "$4" ];;
--get-selections) cat $here/selections;;
--set-selections) cat >> $here/set;;
-S) case "$2" in /bin/bash) echo 'bash: /bin/bash';; *) exit 1;; esac;;
-L) echo /.; echo /bin/bash;;
esac`,
	})
	f.put("installed", "install ok installed bash 5.2-1 amd64\ninstall ok installed libc6 2.36 i386\ndeinstall ok config-files mc 4.8 amd64\nunknown ok not-installed ghost amd64\n")
	f.put("new", "install ok installed vim 9.1-1 amd64\n")
	f.put("selections", "bash\tinstall\nheld\thold\n")
	return f
}

func debian() *fakeEnv {
	e := newEnv()
	e.grains = value.NewMap("os_family", "Debian", "cpuarch", "x86_64", "osarch", "amd64")
	return e
}

func TestPkg_Reads(t *testing.T) {
	fakeApt(t)
	calls(t, debian(), []callCase{
		{"pkg.list_pkgs", nil, m{"bash": "5.2-1", "libc6:i386": "2.36"}},
		{"pkg.list_pkgs", []any{true}, m{"bash": []any{"5.2-1"}, "libc6:i386": []any{"2.36"}}},
		{"pkg.list_pkgs", []any{"removed=True"}, m{"mc": "4.8"}},
		{"pkg.version", []any{"bash"}, "5.2-1"},
		{"pkg.version", []any{"nosuch"}, ""},
		{"pkg.version", []any{"bash", "nosuch"}, m{"bash": "5.2-1", "nosuch": ""}},
		{"pkg.version", []any{"b*"}, m{"bash": "5.2-1"}},
		{"pkg.latest_version", []any{"bash", "vim", "nosuch", "refresh=False"}, m{"bash": "5.3-1", "vim": "9.1-1", "nosuch": ""}},
		{"pkg.available_version", []any{"bash", "refresh=False"}, "5.3-1"},
		{"pkg.upgrade_available", []any{"bash"}, true},
		{"pkg.list_upgrades", []any{"refresh=False"}, m{"bash": "5.3-1"}},
		{"pkg.refresh_db", nil, m{"http://deb/x stable InRelease": true, "http://deb/y stable": nil, "http://deb/z stable": false}},
		{"pkg.refresh_db", []any{"failhard=True"}, "ERROR: Error getting repos: http://deb/z stable"},
		{"pkg.version_cmp", []any{"1", "2"}, int64(-1)},
		{"pkg.owner", []any{"/bin/bash"}, "bash"},
		{"pkg.file_list", []any{"bash"}, m{"errors": []any{}, "files": []any{"/.", "/bin/bash"}}},
		{"pkg.list_holds", nil, []any{"held"}},
	})
}

func TestPkg_Changes(t *testing.T) {
	f := fakeApt(t)
	env := debian()
	same(t, "install", result(t, env, "pkg.install", "vim", "refresh=True", "install_recommends=False"), m{"vim": m{"old": "", "new": "9.1-1"}})
	same(t, "words", f.called("apt-get"), []string{
		"apt-get [-q] [update]",
		"apt-get [-q] [-y] [-o] [DPkg::Options::=--force-confold] [-o] [DPkg::Options::=--force-confdef] [--no-install-recommends] [install] [vim]",
	})
	same(t, "again", result(t, env, "pkg.install", kw("pkgs", []any{"bash", value.NewMap("vim", "9.1-1")})), m{})
	if got := f.called("apt-get"); len(got) != 1 || !strings.HasSuffix(got[0], "[install] [bash] [vim=9.1-1]") {
		t.Errorf("%v", got)
	}
	same(t, "remove", result(t, env, "pkg.remove", "vim,nosuch"), m{"vim": m{"old": "9.1-1", "new": ""}})
	same(t, "words", f.called("apt-get"), []string{"apt-get [-q] [-y] [remove] [vim]"})
	same(t, "nothing to remove", result(t, env, "pkg.purge", "vim"), m{})
	r := run(t, env, "pkg.install", "nosuch")
	want := "ERROR: Problem encountered installing package(s). Additional info follows:\n\nchanges:\n    ----------\nerrors:\n    - E: Unable to locate package nosuch"
	if PyStr(r.Value) != want {
		t.Errorf("%q, want %q", r.Value, want)
	}
	same(t, "version of each name", result(t, env, "pkg.install", "bash,vim", "version=9.1-1"), m{"vim": m{"old": "", "new": "9.1-1"}})
	if got := f.called("apt-get"); len(got) != 2 || !strings.HasSuffix(got[1], "[install] [bash=9.1-1] [vim=9.1-1]") {
		t.Errorf("%v", got)
	}
	result(t, env, "pkg.install", kw("pkgs", []any{"bash", "vim"}, "version", "9.1-1"))
	if got := f.called("apt-get"); len(got) != 1 || !strings.HasSuffix(got[0], "[install] [bash] [vim]") || !strings.Contains(env.logged(), "'version' argument will be ignored") {
		t.Errorf("version beside pkgs: %v, and the log says\n%s", got, env.logged())
	}
	same(t, "hold", result(t, env, "pkg.hold", "bash"), m{"bash": m{
		"name": "bash", "result": true, "changes": m{"old": "install", "new": "hold"}, "comment": "Package bash is now being held.",
	}})
	if r := run(t, env, "pkg.install", "vim", "odd_option=1"); r.Success || !strings.Contains(PyStr(r.Value), "odd_option") {
		t.Errorf("an option that means nothing is taken: %v", r.Value)
	}
}

// A value of a job is one word of a command, whatever it contains, and never an option.
func TestPkg_NamesAreWords(t *testing.T) {
	f := fakeApt(t)
	env := debian()
	const evil = "; touch $here/pwned; rm -rf x `id` $(id)"
	run(t, env, "pkg.install", evil)
	got := f.called("apt-get")
	if len(got) != 1 || !strings.HasSuffix(got[0], "[install] ["+evil+"]") {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"-oDPkg::Pre-Invoke::=touch /tmp/x", "--force-yes", "a\nb"} {
		r := run(t, env, "pkg.install", kw("pkgs", []any{name}))
		if r.Success || !strings.Contains(PyStr(r.Value), "is invalid") || len(f.called("apt-get")) > 0 {
			t.Errorf("%q: %v", name, r.Value)
		}
	}
}

// Versions are compared as in rpm.
func TestRpmCompare(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1.0", "1.0", 0},
		{"1.0", "2.0", -1},
		{"2.0.1", "2.0", 1},
		{"1.0-1", "1.0", 0},
		{"1.0-2", "1.0-10", -1},
		{"1:1.0", "2.0", 1},
		{"5.5p1", "5.5p10", -1},
		{"10xyz", "10.1xyz", -1},
		{"xyz.4", "8", -1},
		{"8", "xyz.4", 1},
		{"1.0~rc1", "1.0", -1},
		{"1.0~rc1", "1.0~rc2", -1},
		{"1.0^git1", "1.0", 1},
		{"1.0^git1", "1.0.1", -1},
		{"1.010", "1.10", 0},
		{"2_0", "2.0", 0},
	} {
		if got := rpmCompare(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := rpmCompare(c.b, c.a); got != -c.want {
			t.Errorf("%s and %s: %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

func FuzzRpmVercmp(f *testing.F) {
	f.Add("1.0~rc1", "1.0^a")
	f.Fuzz(func(t *testing.T, a, b string) {
		if rpmVercmp(a, b) != -rpmVercmp(b, a) {
			t.Errorf("%q and %q", a, b)
		}
	})
}

// Entries of dnf may span lines; of several versions the newest counts.
func TestDnfTable(t *testing.T) {
	c := &Call{Env: debian()}
	c.Env.(*fakeEnv).grains = value.NewMap("osarch", "x86_64")
	got := dnf{"dnf"}.table(c, `Available Packages
bash.x86_64            5.1-2        base
bash.x86_64            5.1-10       updates
a-package-with-a-long-name.noarch
                       1:2-3        base
zlib.i686              0:1.2-1      base
Obsoleting Packages
old.noarch             1-1          base
`)
	same(t, "table", got, map[string]string{"bash": "5.1-10", "a-package-with-a-long-name": "1:2-3", "zlib.i686": "1.2-1"})
}

func TestApkName(t *testing.T) {
	for word, want := range map[string][2]string{"busybox-1.36.1-r2": {"busybox", "1.36.1-r2"}, "a-b-c-1-r0": {"a-b-c", "1-r0"}, "odd": {"", ""}} {
		if name, version := apkName(word); name != want[0] || version != want[1] {
			t.Errorf("%s: %s %s", word, name, version)
		}
	}
}
