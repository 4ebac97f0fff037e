package config

import (
	"strings"
	"testing"
)

func TestRootDir(t *testing.T) {
	m, _ := master(t, "master", `root_dir: /srv/x
pki_dir: /srv/x/keys
cachedir: cache
autosign_file: /etc/salt/autosign.conf
log_file: file:///dev/log
sock_dir: run
`)
	for _, c := range []struct{ name, got, want string }{
		{"below root_dir already", m.PkiDir, "/srv/x/keys"},
		{"relative", m.Cachedir, "/srv/x/cache"},
		{"absolute", m.AutosignFile, "/srv/x/etc/salt/autosign.conf"},
		{"a URL", m.LogFile, "file:///dev/log"},
		{"default", m.Pidfile, "/srv/x/var/run/salt-master.pid"},
		{"computed", m.TokenDir, "/srv/x/cache/tokens"},
		{"computed", m.JobStoreFile, "/srv/x/cache/jobs.db"},
		{"unset stays unset", m.AutorejectFile, ""},
		{"short", m.SockDir, "/srv/x/run"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	m.Resolve()
	if m.Cachedir != "/srv/x/cache" || m.TokenDir != "/srv/x/cache/tokens" {
		t.Errorf("a second Resolve changed paths: %s %s", m.Cachedir, m.TokenDir)
	}
}

func TestSockDirLongerThanCachedir(t *testing.T) {
	m, _ := master(t, "master", "sock_dir: /a/rather/long/folder/for/sockets\ncachedir: /c\n")
	if m.SockDir != "/c/.salt-unix" {
		t.Errorf("sock_dir %s", m.SockDir)
	}
	_, _, err := loadMaster(files(t, "master", "cachedir: /"+strings.Repeat("c", 90)+"\nsock_dir: /"+strings.Repeat("s", 90)+"\n"), machine("h"))
	if got := faults(t, err); len(got) != 1 || !strings.Contains(got[0], "bytes too long for local sockets") {
		t.Errorf("%q", got)
	}
}

func TestAppendMinionidConfigDirs(t *testing.T) {
	m, _ := minion(t, "minion", "id: web\nappend_minionid_config_dirs: [pki_dir, cachedir, pidfile]\n")
	if m.PkiDir != "/etc/salt/pki/minion/web" || m.Cachedir != "/var/cache/salt/minion/web" || m.Pidfile != "/var/run/salt/web/salt-minion.pid" {
		t.Errorf("%s %s %s", m.PkiDir, m.Cachedir, m.Pidfile)
	}
}
