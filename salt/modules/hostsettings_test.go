package modules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// played replaces the programs that read or change the host. It looks up each call by its
// words in answers; a call without an answer fails the test. It returns the calls.
func played(t *testing.T, answers map[string]ran) *[]string {
	t.Helper()
	was := runSystem
	t.Cleanup(func() { runSystem = was })
	var called []string
	runSystem = func(_ context.Context, _ *Call, words ...string) (ran, error) {
		line := strings.Join(words, "|")
		called = append(called, line)
		r, ok := answers[line]
		if !ok {
			t.Errorf("the program %s is not expected", line)
		}
		return r, nil
	}
	return &called
}

// noPrograms makes the host lack all programs except those named.
func noPrograms(t *testing.T, but ...string) {
	t.Helper()
	was := systemPath
	t.Cleanup(func() { systemPath = was })
	systemPath = nil
	dir := t.TempDir()
	for _, name := range but {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// The hosts file is read and written by the engine. Values that would add a line are an
// error, and a link to the file is followed.
func TestHosts(t *testing.T) {
	env := newEnv()
	path := file(t, "hosts", "127.0.0.1 localhost # me\n# note\n")
	link := path + "-link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	env.options.Set("hosts.file", link)
	calls(t, env, []callCase{
		{"hosts.list_hosts", nil, m{"127.0.0.1": m{"aliases": []any{"localhost"}, "comment": "me"}, "comment-0": []any{"# note"}}},
		{"hosts.set_host", []any{"10.0.0.1", "a b"}, true},
		{"hosts.add_host", []any{"10.0.0.1", "c"}, true},
		{"hosts.rm_host", []any{"10.0.0.1", "a"}, true},
		{"hosts.set_comment", []any{"10.0.0.1", "why"}, true},
		{"hosts.set_comment", []any{"10.9.9.9", "why"}, false},
		{"hosts.get_ip", []any{"c"}, "10.0.0.1"},
		{"hosts.get_alias", []any{"10.0.0.1"}, []any{"b", "c"}},
		{"hosts.has_pair", []any{"10.0.0.1", []any{"b", "c"}}, true},
		{"hosts.has_pair", []any{"10.0.0.1", "a"}, false},
		{"hosts.set_host", []any{"10.0.0.1", "a\n6.6.6.6 bank"}, "ERROR executing 'hosts.set_host': the names \"a\\n6.6.6.6 bank\" contain a line break"},
		{"hosts.add_host", []any{"bank", "a"}, "ERROR executing 'hosts.add_host': \"bank\" is not an IP address"},
		{"hosts.set_comment", []any{"10.0.0.1", "x\n6.6.6.6 bank"}, "ERROR executing 'hosts.set_comment': the comment \"x\\n6.6.6.6 bank\" contains a line break"},
	})
	fileHolds(t, path, "127.0.0.1\t\tlocalhost\t\t# me\n# note\n10.0.0.1\t\tb c\t\t# why\n")
	env.options.Set("hosts.file", path+"-new")
	result(t, env, "hosts.set_host", "10.0.0.1", "a")
	fileHolds(t, path+"-new", "10.0.0.1\t\ta\n")
}

// The host is halted with the arguments that Salt uses; nothing that looks like an option
// is passed.
func TestSystemPower(t *testing.T) {
	off := offFlag("linux")
	called := played(t, map[string]ran{"halt": {}, "poweroff": {}, "init|3": {}, "shutdown|-r|now": {stdout: "going down"}, "shutdown|-r|+5": {retcode: 1, stderr: "no"}, "shutdown|" + off + "|5": {}})
	calls(t, newEnv(), []callCase{
		{"system.halt", nil, ""},
		{"system.poweroff", nil, ""},
		{"system.init", []any{3}, ""},
		{"system.init", []any{"-c"}, "ERROR executing 'system.init': runlevel '-c' is invalid: it is empty, begins with -, or contains a line break"},
		{"system.reboot", nil, "going down"},
		{"system.reboot", []any{"+5"}, "no"},
		{"system.reboot", []any{"-c"}, "ERROR executing 'system.reboot': at_time '-c' is invalid: it is empty, begins with -, or contains a line break"},
		{"system.shutdown", []any{5}, ""},
	})
	if len(*called) != 6 {
		t.Errorf("called: %q", *called)
	}
	if offFlag("openbsd") != "-p" {
		t.Error("OpenBSD is not turned off")
	}
}

// Dates and times are parsed, checked and passed to date as in Salt.
func TestSystemTime(t *testing.T) {
	noPrograms(t)
	was := hostNow
	t.Cleanup(func() { hostNow = was })
	hostNow = func() time.Time { return time.Date(2026, 11, 23, 9, 8, 7, 0, time.UTC) }
	played(t, map[string]ran{
		"date|112311202026.00": {}, "date|112315302026.59": {}, "date|032809082013.07": {}, "date|-u|051216372015.53": {},
		"date|010100002000.00": {retcode: 1, stderr: "bad date"}, "date|010100002000": {retcode: 1, stderr: "bad"},
		"date|010100002001.00": {retcode: 1, stderr: "bad date"}, "date|010100002001": {},
	})
	calls(t, newEnv(), []callCase{
		{"system.get_system_time", nil, "09:08:07 AM"},
		{"system.get_system_date", []any{"-1000"}, "Sun 11/22/2026"},
		{"system.get_system_date_time", []any{"+0130"}, "2026-11-23 10:38:07"},
		{"system.get_system_time", []any{"01:30"}, "ERROR executing 'system.get_system_time': Invalid UTC offset"},
		{"system.set_system_time", []any{"11:20"}, true},
		{"system.set_system_time", []any{"3:30:59 pm"}, true},
		{"system.set_system_time", []any{"25:00"}, false},
		{"system.set_system_date", []any{"03-28-13"}, true},
		{"system.set_system_date", []any{"28.3.2013"}, "ERROR executing 'system.set_system_date': Invalid date format"},
		{"system.set_system_date_time", []any{2015, 5, 12, 11, 37, 53, "-0500"}, true},
		{"system.set_system_date_time", []any{2015, 2, 30}, "ERROR executing 'system.set_system_date_time': day is out of range for month"},
		{"system.set_system_date_time", []any{2015, 13}, "ERROR executing 'system.set_system_date_time': month must be in 1..12"},
		{"system.set_system_date_time", []any{2000, 1, 1, 0, 0, 0}, "ERROR: date failed: bad date"},
		{"system.set_system_date_time", []any{2001, 1, 1, 0, 0, 0}, true},
		{"system.has_settable_hwclock", nil, false},
	})
}

// A host without hostnamectl keeps its description in a file.
func TestSystemDescription(t *testing.T) {
	noPrograms(t)
	was := machineInfo
	t.Cleanup(func() { machineInfo = was })
	machineInfo = filepath.Join(t.TempDir(), "machine-info")
	calls(t, newEnv(), []callCase{
		{"system.get_computer_desc", nil, false},
		{"system.set_computer_desc", []any{"Michael's \"laptop\"\n$(reboot)"}, true},
		{"system.get_computer_desc", nil, "Michael's \"laptop\"\n$(reboot)"},
		{"system.set_computer_desc", []any{"other"}, true},
		{"system.get_computer_desc", nil, "other"},
	})
	fileHolds(t, machineInfo, "PRETTY_HOSTNAME=\"other\"\n")
}

// The time zone is read from and written to the files of the host. A name with a path is an
// error.
func TestTimezone(t *testing.T) {
	noPrograms(t)
	was := zones
	t.Cleanup(func() { zones = was })
	dir := t.TempDir()
	zones.etc, zones.zoneinfo, zones.rtc = filepath.Join(dir, "etc"), filepath.Join(dir, "zoneinfo"), filepath.Join(dir, "rtc")
	for name, text := range map[string]string{
		"zoneinfo/Etc/UTC": "utc", "zoneinfo/America/Denver": "denver", "zoneinfo/posix/America/Denver": "denver", "etc/localtime": "denver",
		"etc/timezone": "Etc/UTC\n", "etc/adjtime": "0.0 0 0.0\n0\nUTC\n", "etc/sysconfig/clock": "# ZONE=x\nZONE=\"Etc/UTC\"\nUTC=true\n", "secret": "utc",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	played(t, map[string]ran{"date|+%Z": {stdout: "MST"}, "date|+%z": {stdout: "-0700"}})
	env := newEnv()
	env.grains.Set("os_family", "Debian")
	calls(t, env, []callCase{
		{"timezone.get_zone", nil, "Etc/UTC"},
		{"timezone.get_zonecode", nil, "MST"},
		{"timezone.get_offset", nil, "-0700"},
		{"timezone.zone_compare", []any{"America/Denver"}, true},
		{"timezone.zone_compare", []any{"Etc/UTC"}, false},
		{"timezone.zone_compare", []any{"No/Where"}, `ERROR executing 'timezone.zone_compare': Can't find a local timezone "No/Where"`},
		{"timezone.set_zone", []any{"../secret"}, "ERROR executing 'timezone.set_zone': '../secret' is not a time zone"},
		{"timezone.set_zone", []any{"No/Where"}, "Zone does not exist: " + zones.zoneinfo + "/No/Where"},
		{"timezone.set_zone", []any{"America/Denver"}, true},
		{"timezone.get_zone", nil, "America/Denver"},
		{"timezone.get_hwclock", nil, "UTC"},
		{"timezone.set_hwclock", []any{"maybe"}, "ERROR executing 'timezone.set_hwclock': Only 'UTC' and 'localtime' are allowed"},
	})
	fileHolds(t, filepath.Join(zones.etc, "timezone"), "America/Denver\n")
	if to, err := os.Readlink(filepath.Join(zones.etc, "localtime")); err != nil || to != zones.zoneinfo+"/America/Denver" {
		t.Errorf("localtime leads to %q, %v", to, err)
	}
	env.grains.Set("os", "CentOS")
	calls(t, env, []callCase{{"timezone.get_zone", nil, "America/Denver"}})
	if err := os.Remove(filepath.Join(zones.etc, "localtime")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(zones.etc, "localtime"), []byte("denver"), 0o644); err != nil {
		t.Fatal(err)
	}
	calls(t, env, []callCase{{"timezone.get_zone", nil, "America/Denver"}})
	env.grains.Set("os", "RedHat")
	env.grains.Set("os_family", "RedHat")
	calls(t, env, []callCase{
		{"timezone.get_zone", nil, "Etc/UTC"},
		{"timezone.set_zone", []any{"America/Denver"}, true},
	})
	fileHolds(t, filepath.Join(zones.etc, "sysconfig/clock"), "# ZONE=x\nZONE=\"America/Denver\"\nUTC=true\n")
}

// With timedatectl, its output is used.
func TestTimezone_Timedatectl(t *testing.T) {
	noPrograms(t, "timedatectl")
	played(t, map[string]ran{"timedatectl": {stdout: "      Local time: Mon\n       Time zone: Europe/Zurich (CET, +0100)\n RTC in local TZ: yes"}, "timedatectl|set-local-rtc|false": {}})
	calls(t, newEnv(), []callCase{
		{"timezone.get_zone", nil, "Europe/Zurich"},
		{"timezone.get_hwclock", nil, "localtime"},
		{"timezone.set_hwclock", []any{"UTC"}, true},
	})
	played(t, map[string]ran{"timedatectl": {retcode: 1, stderr: "no bus"}})
	calls(t, newEnv(), []callCase{{"timezone.get_zone", nil, "ERROR: timedatectl failed: no bus"}})
}

// Locales are read, set and generated with the files and programs of the host.
func TestLocale(t *testing.T) {
	noPrograms(t, "locale-gen", "update-locale")
	was := localeRoot
	t.Cleanup(func() { localeRoot = was })
	localeRoot = t.TempDir()
	for name, text := range map[string]string{
		"etc/default/locale": "# x\nLANG=\"C.UTF-8\"\n", "etc/locale.gen": "# en_US.UTF-8 UTF-8\n# de_CH.UTF-8 UTF-8\n",
		"usr/share/i18n/SUPPORTED": "de_CH.UTF-8 UTF-8\nen_US.UTF-8 UTF-8\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(localeRoot, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(localeRoot, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	called := played(t, map[string]ran{"locale|-a": {stdout: "C\nC.utf8\nPOSIX"}, "update-locale": {}, "locale-gen|de_CH.UTF-8 UTF-8": {}})
	env := newEnv()
	env.grains.Set("os_family", "Debian")
	calls(t, env, []callCase{
		{"locale.list_avail", nil, []any{"C", "C.utf8", "POSIX"}},
		{"locale.avail", []any{"C.UTF-8"}, true},
		{"locale.avail", []any{"en_US.UTF-8"}, false},
		{"locale.get_locale", nil, "C.UTF-8"},
		{"locale.set_locale", []any{"de_CH.UTF-8"}, true},
		{"locale.get_locale", nil, "de_CH.UTF-8"},
		{"locale.set_locale", []any{"x\"\nLD_PRELOAD=/tmp/x"}, "ERROR executing 'locale.set_locale': 'x\"\\nLD_PRELOAD=/tmp/x' is not a locale"},
		{"locale.gen_locale", []any{"xx_YY.UTF-8"}, false},
		{"locale.gen_locale", []any{"--help"}, "ERROR executing 'locale.gen_locale': '--help' is not a locale"},
		{"locale.gen_locale", []any{"de_CH.UTF-8"}, true},
	})
	fileHolds(t, filepath.Join(localeRoot, "etc/default/locale"), "# x\nLANG=\"de_CH.UTF-8\"\n")
	if data, _ := os.ReadFile(filepath.Join(localeRoot, "etc/locale.gen")); !strings.HasPrefix(string(data), "# en_US.UTF-8 UTF-8\nde_CH.UTF-8 UTF-8\n") {
		t.Errorf("locale.gen holds %q", data)
	}
	if len(*called) != 5 {
		t.Errorf("called: %q", *called)
	}
}
