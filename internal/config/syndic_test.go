package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSyndicMerge(t *testing.T) {
	dir := files(t,
		"master", "root_dir: /r\nsyndic_master: [top-1, top-2]\nsyndic_master_port: 5506\nsyndic_finger: aa:bb\npublish_port: 7505\nret_port: 7506\norder_masters: true\nlog_level: info\nuser: salt\n",
		"minion", "root_dir: /r\nid: syndic-a\npki_dir: keys\nmaster: [other]\nmaster_port: 1234\nrecon_max: 2000\nlog_level: debug\n")
	s, w, err := loadSyndic(dir, machine("h"))
	if err != nil {
		t.Fatal(err)
	}
	if len(w) != 0 {
		t.Errorf("warnings %v", w)
	}
	u := s.Upper
	if u.ID != "syndic-a" || u.PkiDir != "/r/keys" || !slices.Equal(u.Master, []string{"top-1", "top-2"}) || u.MasterPort != 5506 || u.MasterFinger != "aa:bb" {
		t.Errorf("upper: id %s pki %s master %v:%d finger %s", u.ID, u.PkiDir, u.Master, u.MasterPort, u.MasterFinger)
	}
	if u.PublishPort != 0 {
		t.Errorf("publish port %d, want what the master above says", u.PublishPort)
	}
	if u.Cachedir != "/r/var/cache/salt/master" || u.LogFile != "/r/var/log/salt/syndic" || u.Pidfile != "/r/var/run/salt-syndic.pid" || u.User != "salt" || u.LogLevel != "info" {
		t.Errorf("upper: %s %s %s %s %s", u.Cachedir, u.LogFile, u.Pidfile, u.User, u.LogLevel)
	}
	if s.Local.PublishPort != 7505 || s.Local.RetPort != 7506 || s.Local.PkiDir != "/r/etc/salt/pki/master" || !s.Local.OrderMasters {
		t.Errorf("local: %+v", s.Local)
	}
}

func TestSyndicTakesMasterPortAndNamesAllFaults(t *testing.T) {
	s, _, err := loadSyndic(files(t, "master", "", "minion", "id: s\nmaster_port: 1234\n"), machine("h"))
	if err != nil || s.Upper.MasterPort != 1234 || !slices.Equal(s.Upper.Master, []string{"masterofmasters"}) {
		t.Errorf("%+v %v", s, err)
	}
	_, _, err = loadSyndic(files(t, "master", "timeout: x\n", "minion", "auth_tries: y\n"), machine("h"))
	if err == nil || !strings.Contains(err.Error(), "timeout") || !strings.Contains(err.Error(), "auth_tries") {
		t.Errorf("%v", err)
	}
}

// TestSyndic_WithoutAParent: a syndic whose file names no parent gets a warning before it tries
// Salt's default name.
func TestSyndic_WithoutAParent(t *testing.T) {
	for text, want := range map[string]bool{"interface: 127.0.0.1\n": true, "syndic_master: 127.0.0.2\n": false, "syndic_master: masterofmasters\n": false} {
		dir := files(t, "master", "root_dir: /r\n"+text, "minion", "root_dir: /r\nid: n1\n")
		_, warnings, err := loadSyndic(dir, machine("h"))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Contains(strings.Join(warningTexts(warnings), "\n"), "option syndic_master is not set: the master above is looked for under Salt's default, masterofmasters")
		if got != want {
			t.Errorf("%q: %q", text, warningTexts(warnings))
		}
	}
}

// TestSyndic_RootDirOfTheMasterFile: a node has one root. If only the master file has it, the
// key for the parent is under it too, and not silently in /etc/salt/pki/minion. A key that is
// already there is used, and reported.
func TestSyndic_RootDirOfTheMasterFile(t *testing.T) {
	root, old, other := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir string) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "minion.pem"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, master, minion string
		before               func()
		pki                  string
		warned               bool
	}{
		{"master file alone", "root_dir: " + root, "pki_dir: /nonexistent/pki", nil, filepath.Join(root, "nonexistent/pki"), false},
		{"both", "root_dir: " + root, "root_dir: " + other, nil, filepath.Join(other, "etc/salt/pki/minion"), false},
		{"minion file alone", "", "root_dir: " + other, nil, filepath.Join(other, "etc/salt/pki/minion"), false},
		{"neither", "", "", nil, "/etc/salt/pki/minion", false},
		{"own folder, no key yet", "root_dir: " + root, "pki_dir: " + old, nil, filepath.Join(root, old), false},
		{"own folder, a key outside", "root_dir: " + root, "pki_dir: " + old, func() { write(old) }, old, true},
		{"own folder, keys in both", "root_dir: " + root, "pki_dir: " + old, func() { write(filepath.Join(root, old)) }, filepath.Join(root, old), false},
	} {
		if c.before != nil {
			c.before()
		}
		dir := files(t, "master", "syndic_master: top\n"+c.master+"\n", "minion", "id: n1\n"+c.minion+"\n")
		s, warnings, err := loadSyndic(dir, machine("h"))
		if err != nil {
			t.Fatal(err)
		}
		if s.Upper.PkiDir != c.pki {
			t.Errorf("%s: the key is looked for in %s, want %s", c.name, s.Upper.PkiDir, c.pki)
		}
		warned := slices.ContainsFunc(warnings, func(w Warning) bool { return w.Option == "root_dir" && strings.Contains(w.Text, c.pki) })
		if warned != c.warned {
			t.Errorf("%s: %v", c.name, warningTexts(warnings))
		}
	}
}
