package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// otherSystem is a folder with accounts, and fake programs that log their calls and change
// it.
func otherSystem(t *testing.T) (*fakes, string) {
	f := withFakes(t, map[string]string{
		"useradd":  `for w; do name=$w; done; echo "$name:x:1100:1100:::/bin/sh" >> "$here/etc/passwd"`,
		"usermod":  `while [ $# -gt 1 ]; do case $1 in -s) sh=$2;; -c) gecos=$2;; esac; shift; done; sed -i "s|^\($1:.*:\)[^:]*:\([^:]*\):[^:]*$|\1$gecos:\2:$sh|" "$here/etc/passwd"`,
		"userdel":  `for w; do name=$w; done; sed -i "/^$name:/d" "$here/etc/passwd"`,
		"groupadd": `for w; do name=$w; done; echo "$name:x:1200:" >> "$here/etc/group"`,
		"gpasswd":  `true`,
	})
	if err := os.MkdirAll(filepath.Join(f.dir, "etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.put("etc/passwd", "root:x:0:0:root:/root:/bin/bash\nfred:x:1000:1000:Fred Q,12,555:/home/fred:/bin/zsh\n# note\nbroken:x\n")
	f.put("etc/group", "root:x:0:\nfred:x:1000:\nwheel:x:10:root,fred\n")
	f.put("etc/shadow", "root:*:19000:0:99999:7:::\nfred:!$6$abc:19001::\n")
	return f, f.dir
}

func TestUser_Reads(t *testing.T) {
	_, root := otherSystem(t)
	at := "root=" + root
	fred := m{
		"name": "fred", "uid": int64(1000), "gid": int64(1000), "groups": []any{"fred", "wheel"}, "home": "/home/fred", "shell": "/bin/zsh", "passwd": "x",
		"fullname": "Fred Q", "roomnumber": "12", "workphone": "555", "homephone": "", "other": "",
	}
	calls(t, newEnv(), []callCase{
		{"user.info", []any{"fred", at}, fred},
		{"user.info", []any{"nobody-here", at}, m{}},
		{"user.list_users", []any{at}, []any{"fred", "root"}},
		{"group.info", []any{"wheel", at}, m{"name": "wheel", "passwd": "x", "gid": int64(10), "members": []any{"root", "fred"}}},
		{"group.info", []any{"none", at}, m{}},
		{"shadow.info", []any{"root", at}, m{
			"name": "root", "passwd": "*", "lstchg": int64(19000), "min": int64(0), "max": int64(99999), "warn": int64(7), "inact": int64(-1), "expire": int64(-1),
		}},
		{"shadow.info", []any{"none", at}, m{"name": "", "passwd": "", "lstchg": "", "min": "", "max": "", "warn": "", "inact": "", "expire": ""}},
		{"shadow.list_users", []any{at}, []any{"fred", "root"}},
	})
	// On this host, root always exists.
	if root := result(t, newEnv(), "user.info", "root").(m); root["uid"] != int64(0) {
		t.Errorf("%v", root)
	}
}

func TestUser_Changes(t *testing.T) {
	f, root := otherSystem(t)
	at, env := "root="+root, newEnv()
	calls(t, env, []callCase{
		{"user.add", []any{"new", "shell=/bin/sh", "uid=1100", "createhome=False", "system=True", "usergroup=False", at}, true},
		{"user.chshell", []any{"fred", "/bin/sh", at}, true},
		{"user.chshell", []any{"fred", "/bin/sh", at}, true},
		{"user.chshell", []any{"none", "/bin/sh", at}, "ERROR: User 'none' does not exist"},
		{"user.rename", []any{"fred", "root", at}, "ERROR: User 'root' already exists"},
		{"user.delete", []any{"new", at}, true},
		{"group.add", []any{"g", at}, true},
		{"group.adduser", []any{"wheel", "bob", at}, true},
		{"group.deluser", []any{"wheel", "bob", at}, true},
		{"user.add", []any{"x", "loginclass=staff"}, "ERROR executing 'user.add': user.add does not support the arguments loginclass and local"},
	})
	same(t, "words", f.called(""), []string{
		"useradd [-s] [/bin/sh] [-u] [1100] [-N] [-M] [-r] [-R] [" + root + "] [new]",
		"usermod [-R] [" + root + "] [-s] [/bin/sh] [fred]",
		"userdel [-R] [" + root + "] [new]",
		"groupadd [-R] [" + root + "] [g]",
		"gpasswd [--root] [" + root + "] [--add] [bob] [wheel]",
	})
	for _, fun := range []string{"user.add", "user.delete", "group.add", "group.delete", "shadow.lock_password"} {
		if r := run(t, env, fun, "--help", at); r.Success || !strings.Contains(PyStr(r.Value), "is invalid") {
			t.Errorf("%s: %v", fun, r.Value)
		}
	}
	if got := f.called(""); len(got) > 0 {
		t.Errorf("called: %v", got)
	}
}

// A password is written to the shadow file in one step; the rest of the file stays.
func TestShadow_SetPassword(t *testing.T) {
	_, root := otherSystem(t)
	file := filepath.Join(root, "etc/shadow")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	calls(t, newEnv(), []callCase{
		{"shadow.set_password", []any{"fred", "$6$new", "root=" + root}, true},
		{"shadow.set_password", []any{"nobody-here", "$6$new", "root=" + root}, false},
		{"shadow.set_password", []any{"fred", "x:0:0:::::\nroot::1", "root=" + root}, "ERROR executing 'shadow.set_password': a name or password hash must not contain a colon or a line break"},
	})
	data, err := os.ReadFile(file)
	lines := strings.Split(string(data), "\n")
	day := PyStr(time.Now().Unix() / 86400)
	if err != nil || lines[0] != "root:*:19000:0:99999:7:::" || lines[1] != "fred:$6$new:"+day+"::::::" {
		t.Errorf("%q, %v", data, err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}
