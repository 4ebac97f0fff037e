package daemon

import (
	"log/slog"
	"log/syslog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

func TestParseSyslogURL(t *testing.T) {
	for text, want := range map[string]syslogTarget{
		"file:///dev/log":                {[]string{"unixgram", "unix"}, "/dev/log", facility(syslog.LOG_USER)},
		"file:///dev/log/LOG_LOCAL0":     {[]string{"unixgram", "unix"}, "/dev/log", facility(syslog.LOG_LOCAL0)},
		"udp://localhost":                {[]string{"udp"}, "localhost:514", facility(syslog.LOG_USER)},
		"udp://localhost:5145/LOG_KERN":  {[]string{"udp"}, "localhost:5145", facility(syslog.LOG_KERN)},
		"tcp://127.0.0.1:514/log_daemon": {[]string{"tcp"}, "127.0.0.1:514", facility(syslog.LOG_DAEMON)},
		"tcp://[::1]/LOG_AUTHPRIV":       {[]string{"tcp"}, "[::1]:514", facility(syslog.LOG_AUTHPRIV)},
	} {
		got, ok, err := parseSyslogURL(text)
		if err != nil || !ok || !slices.Equal(got.networks, want.networks) || got.address != want.address || got.facility != want.facility {
			t.Errorf("%s: %+v, %v, %v", text, got, ok, err)
		}
	}
	for _, text := range []string{"/var/log/salt/master", "log", "", "LOG_USER", "a:b"} {
		if _, ok, err := parseSyslogURL(text); ok || err != nil {
			t.Errorf("%q is a path: %v, %v", text, ok, err)
		}
	}
	for _, text := range []string{"file:///dev/log/LOG_NOBODY", "udp://localhost/x", "udp:///LOG_USER", "tcp://", "file://"} {
		if _, ok, err := parseSyslogURL(text); !ok || err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: taken, or an error that does not name it: %v", text, err)
		}
	}
}

func TestOpenLog_Syslog(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "log")
	l, err := net.ListenPacket("unixgram", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	log, c, err := OpenLog(LogOptions{File: "file://" + socket + "/LOG_LOCAL0", FileLevel: slog.LevelInfo})
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("not shown")
	log.Error("job failed", "jid", "1")
	log.Log(t.Context(), LevelCritical, "disk full")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	log.Error("after the end") // does not panic
	buf := make([]byte, 4096)
	for _, want := range []struct{ pri, text string }{
		{"<131>", "[ERROR   ] job failed jid=1"}, // local0 (16) * 8 + err (3)
		{"<130>", "[CRITICAL] disk full"},
	} {
		n, _, err := l.ReadFrom(buf)
		if got := string(buf[:n]); err != nil || !strings.HasPrefix(got, want.pri) || !strings.Contains(got, " mom[") || !strings.Contains(got, want.text) {
			t.Errorf("received %q, %v; want %s … %s", got, err, want.pri, want.text)
		}
	}
}

func TestOpenLog_SyslogNotThere(t *testing.T) {
	url := "file://" + filepath.Join(t.TempDir(), "log")
	if _, _, err := OpenLog(LogOptions{File: url}); err == nil || !strings.Contains(err.Error(), url) {
		t.Errorf("got %v", err)
	}
}

// stuck is a syslog that accepts one line and then blocks until released.
type stuck struct {
	free chan struct{}
	got  []string
}

func (s *stuck) take(text string) error {
	<-s.free
	s.got = append(s.got, text)
	return nil
}
func (s *stuck) Crit(text string) error    { return s.take(text) }
func (s *stuck) Err(text string) error     { return s.take(text) }
func (s *stuck) Warning(text string) error { return s.take(text) }
func (s *stuck) Info(text string) error    { return s.take(text) }
func (s *stuck) Debug(text string) error   { return s.take(text) }
func (s *stuck) Close() error              { return nil }

// A syslog that accepts nothing blocks neither the daemon nor its end; dropped lines are
// counted.
func TestSyslogWriter_Stuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &stuck{free: make(chan struct{})}
		w := newSyslogWriter(to)
		for range syslogQueue + 101 {
			if _, err := w.Write([]byte("line")); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := w.Close(); err != nil { // returns after its grace period
			t.Fatal(err)
		}
		close(to.free)
		<-w.done
		if want := "count=100"; len(to.got) != syslogQueue+2 || !slices.ContainsFunc(to.got, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%d lines sent, no %q among them", len(to.got), want)
		}
	})
}
