package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/slogtest"
	"time"
)

func TestLevels(t *testing.T) {
	var last slog.Level = -1000
	for _, name := range []string{"all", "garbage", "trace", "debug", "profile", "info", "warning", "error", "critical", "quiet"} {
		l, err := Level(strings.ToUpper(name))
		if err != nil || l <= last {
			t.Errorf("%s: %d after %d, %v", name, l, last, err)
		}
		last = l
		if name != "all" && name != "quiet" && levelName(l) != strings.ToUpper(name) {
			t.Errorf("%s is written as %s", name, levelName(l))
		}
	}
	_, err := Level("loud")
	if err == nil || err.Error() != "invalid choice: 'loud' (choose from 'all', 'garbage', 'trace', 'debug', 'profile', 'info', 'warning', 'error', 'critical', 'quiet')" {
		t.Errorf("%v", err)
	}
}

func TestLines(t *testing.T) {
	var b bytes.Buffer
	log, c, err := OpenLog(LogOptions{Console: &b, ConsoleLevel: slog.LevelInfo})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, x := range []struct {
		do   func()
		want string
	}{
		{func() { log.Debug("hidden") }, ""},
		{func() { log.Info("starting") }, "[INFO    ] starting\n"},
		{func() { log.Warn("a b", "id", "web-1", "n", 3, "took", time.Second) }, "[WARNING ] a b id=web-1 n=3 took=1s\n"},
		{func() { log.Error("x", "err", errors.New("no such file"), "empty", "") }, "[ERROR   ] x err=\"no such file\" empty=\"\"\n"},
		{func() { log.Log(t.Context(), LevelCritical, "x") }, "[CRITICAL] x\n"},
		{func() { log.With("a", 1).WithGroup("g").With("b", 2).Info("x", slog.Group("h", "c", 3)) }, "[INFO    ] x a=1 g.b=2 g.h.c=3\n"},
		// Text from a stranger stays within its value.
		{func() { log.Info("x", "id", "a\n[ERROR   ] forged") }, "[INFO    ] x id=\"a\\n[ERROR   ] forged\"\n"},
		{func() { log.Info("x", "id", "\x1b[2J\r", "eq", "a=b", "name", "größe") }, "[INFO    ] x id=\"\\x1b[2J\\r\" eq=\"a=b\" name=größe\n"},
		{func() { log.Info("two\nlines \"quoted\"") }, "[INFO    ] two\\nlines \"quoted\"\n"},
	} {
		b.Reset()
		x.do()
		if b.String() != x.want {
			t.Errorf("line %q, want %q", b.String(), x.want)
		}
	}
}

// The handler satisfies the contract of slog's handlers.
func TestHandlerContract(t *testing.T) {
	var b bytes.Buffer
	results := func() []map[string]any {
		var out []map[string]any
		for line := range strings.Lines(b.String()) {
			out = append(out, parseLine(t, strings.TrimSuffix(line, "\n")))
		}
		return out
	}
	if err := slogtest.TestHandler(newHandler(&b, slog.LevelInfo, true), results); err != nil {
		t.Error(err)
	}
}

var filed = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} )?\[mom:\d+\]\[(\w+) *\] (\w+)((?: .*)?)$`)

func parseLine(t *testing.T, line string) map[string]any {
	t.Helper()
	f := filed.FindStringSubmatch(line)
	if f == nil {
		t.Fatalf("line %q", line)
	}
	m := map[string]any{slog.LevelKey: f[2], slog.MessageKey: f[3]}
	if f[1] != "" {
		m[slog.TimeKey] = f[1]
	}
	for _, kv := range strings.Fields(f[4]) {
		k, v, _ := strings.Cut(kv, "=")
		path := strings.Split(k, ".")
		in := m
		for _, g := range path[:len(path)-1] {
			if in[g] == nil {
				in[g] = map[string]any{}
			}
			in = in[g].(map[string]any)
		}
		in[path[len(path)-1]] = v
	}
	return m
}

func TestLogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log", "master")
	var console bytes.Buffer
	log, c, err := OpenLog(LogOptions{Console: &console, ConsoleLevel: slog.LevelError, File: path, FileLevel: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	log.With("a", 1).WithGroup("g").Debug("to the file", "b", 2)
	log.Error("to both")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(fmt.Sprintf(`^\S+ \S+,\d{3} \[mom:%d\]\[DEBUG   \] to the file a=1 g\.b=2\n\S+ \S+ \[mom:\d+\]\[ERROR   \] to both\n$`, os.Getpid()))
	if got := content(t, path); !want.MatchString(got) {
		t.Errorf("file %q", got)
	}
	if console.String() != "[ERROR   ] to both\n" {
		t.Errorf("console %q", console.String())
	}
	if _, _, err := OpenLog(LogOptions{File: filepath.Join(path, "x")}); err == nil || !strings.Contains(err.Error(), "log_file") {
		t.Errorf("%v", err)
	}
}

func TestLogFileFollowsLogrotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master")
	w, err := openWatched(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	now := time.Now()
	w.now = func() time.Time { return now }
	write := func(text string) {
		t.Helper()
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * watchEvery)
	write("two\n")
	if content(t, path+".1") != "one\n" || content(t, path) != "two\n" {
		t.Errorf("old %q, new %q", content(t, path+".1"), content(t, path))
	}
	// If a new file cannot be created, the old one stays in use.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * watchEvery)
	write("three\n")
}
