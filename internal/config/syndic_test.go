package config

import (
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

// TestSyndic_WithoutAParent: a syndic whose file names no master above is told so before
// it looks for Salt's default name.
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
