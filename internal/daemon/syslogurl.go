package daemon

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"
)

// facility is the number of a syslog facility, as syslog(3) counts them: times 8.
type facility int

// facilities are the names that Salt accepts at the end of a syslog URL.
var facilities = map[string]facility{
	"LOG_KERN": 0, "LOG_USER": 1 << 3, "LOG_MAIL": 2 << 3, "LOG_DAEMON": 3 << 3, "LOG_AUTH": 4 << 3, "LOG_SYSLOG": 5 << 3,
	"LOG_LPR": 6 << 3, "LOG_NEWS": 7 << 3, "LOG_UUCP": 8 << 3, "LOG_CRON": 9 << 3, "LOG_AUTHPRIV": 10 << 3, "LOG_FTP": 11 << 3,
	"LOG_LOCAL0": 16 << 3, "LOG_LOCAL1": 17 << 3, "LOG_LOCAL2": 18 << 3, "LOG_LOCAL3": 19 << 3,
	"LOG_LOCAL4": 20 << 3, "LOG_LOCAL5": 21 << 3, "LOG_LOCAL6": 22 << 3, "LOG_LOCAL7": 23 << 3,
}

// syslogTarget is the destination of a syslog URL.
type syslogTarget struct {
	networks []string // tried in turn
	address  string
	facility facility
}

// parseSyslogURL parses the forms of Salt's log_file that are not paths:
// file:///dev/log[/FACILITY], udp://host[:port][/FACILITY], tcp://host[:port][/FACILITY]. The
// defaults are port 514 and facility LOG_USER. ok is false for a path.
func parseSyslogURL(text string) (t syslogTarget, ok bool, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" && u.Scheme != "tcp" && u.Scheme != "udp" {
		return t, false, nil
	}
	t.facility = facilities["LOG_USER"]
	dir, last := path.Split(u.Path)
	name, named := strings.ToUpper(strings.TrimSuffix(last, path.Ext(last))), last != ""
	if u.Scheme == "file" {
		t.networks, t.address = []string{"unixgram", "unix"}, u.Path
		if named = strings.HasPrefix(name, "LOG_"); named {
			t.address = path.Clean(dir)
		}
	} else {
		t.networks, t.address = []string{u.Scheme}, net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "514"))
	}
	if named {
		var known bool
		if t.facility, known = facilities[name]; !known {
			return t, true, fmt.Errorf("log_file %s: the syslog facility %q is not known; LOG_USER, LOG_DAEMON and LOG_LOCAL0 to LOG_LOCAL7 are some that are", text, name)
		}
	}
	if u.Scheme != "file" && u.Hostname() == "" || t.address == "" || t.address == "." {
		return t, true, fmt.Errorf("log_file %s: names no host or socket; write file:///dev/log, udp://HOST:514 or tcp://HOST:514", text)
	}
	return t, true, nil
}
