package daemon

import (
	"cmp"
	"fmt"
	"log/syslog"
	"net"
	"net/url"
	"path"
	"strings"
)

// facilities are the names that Salt accepts at the end of a syslog URL.
var facilities = map[string]syslog.Priority{
	"LOG_KERN": syslog.LOG_KERN, "LOG_USER": syslog.LOG_USER, "LOG_MAIL": syslog.LOG_MAIL, "LOG_DAEMON": syslog.LOG_DAEMON,
	"LOG_AUTH": syslog.LOG_AUTH, "LOG_SYSLOG": syslog.LOG_SYSLOG, "LOG_LPR": syslog.LOG_LPR, "LOG_NEWS": syslog.LOG_NEWS,
	"LOG_UUCP": syslog.LOG_UUCP, "LOG_CRON": syslog.LOG_CRON, "LOG_AUTHPRIV": syslog.LOG_AUTHPRIV, "LOG_FTP": syslog.LOG_FTP,
	"LOG_LOCAL0": syslog.LOG_LOCAL0, "LOG_LOCAL1": syslog.LOG_LOCAL1, "LOG_LOCAL2": syslog.LOG_LOCAL2, "LOG_LOCAL3": syslog.LOG_LOCAL3,
	"LOG_LOCAL4": syslog.LOG_LOCAL4, "LOG_LOCAL5": syslog.LOG_LOCAL5, "LOG_LOCAL6": syslog.LOG_LOCAL6, "LOG_LOCAL7": syslog.LOG_LOCAL7,
}

// syslogTarget is the destination of a syslog URL.
type syslogTarget struct {
	networks []string // tried in turn
	address  string
	facility syslog.Priority
}

// parseSyslogURL parses the forms of Salt's log_file that are not paths:
// file:///dev/log[/FACILITY], udp://host[:port][/FACILITY], tcp://host[:port][/FACILITY]. The
// defaults are port 514 and facility LOG_USER. ok is false for a path.
func parseSyslogURL(text string) (t syslogTarget, ok bool, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" && u.Scheme != "tcp" && u.Scheme != "udp" {
		return t, false, nil
	}
	t.facility = syslog.LOG_USER
	dir, last := path.Split(u.Path)
	facility, named := strings.ToUpper(strings.TrimSuffix(last, path.Ext(last))), last != ""
	if u.Scheme == "file" {
		t.networks, t.address = []string{"unixgram", "unix"}, u.Path
		if named = strings.HasPrefix(facility, "LOG_"); named {
			t.address = path.Clean(dir)
		}
	} else {
		t.networks, t.address = []string{u.Scheme}, net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "514"))
	}
	if named {
		var known bool
		if t.facility, known = facilities[facility]; !known {
			return t, true, fmt.Errorf("log_file %s: the syslog facility %q is not known; LOG_USER, LOG_DAEMON and LOG_LOCAL0 to LOG_LOCAL7 are some that are", text, facility)
		}
	}
	if u.Scheme != "file" && u.Hostname() == "" || t.address == "" || t.address == "." {
		return t, true, fmt.Errorf("log_file %s: names no host or socket; write file:///dev/log, udp://HOST:514 or tcp://HOST:514", text)
	}
	return t, true, nil
}
