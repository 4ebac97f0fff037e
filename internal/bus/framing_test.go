package bus

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// readerEnv makes the test program a reader of the event bus that behaves like Salt's programs:
// it connects, sends nothing, and prints the first byte it gets.
const readerEnv = "BUS_TEST_READER"

func playReader() bool {
	path := os.Getenv(readerEnv)
	if path == "" {
		return false
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		panic(err)
	}
	b := make([]byte, 1)
	if _, err := io.ReadFull(c, b); err != nil {
		panic(err)
	}
	os.Stdout.Write(b)
	_, _ = bufio.NewReader(os.Stdin).Peek(1) // stays until the test lets it exit
	return true
}

// The behaviour of an installation's files decides, and its version if they are not readable.
func TestFraming_ByInstallation(t *testing.T) {
	for version, want := range map[string][2]Framing{ // framing that it reads, framing that it accepts
		"3006.27": {Length, Length}, "3006.28+5.gabc": {Length, Length}, "3006.27rc1": {Length, Length},
		"3006.26": {Bare, Bare}, "3006.0+179.g8d32b4ecea": {Bare, Bare}, "3007.8": {Bare, Bare}, "3007.15": {Bare, Length},
		"3008.0": {Bare, Bare}, "3008.1": {Bare, Bare}, "3008.2": {Bare, Length}, "3009.0": {Bare, Length}, "3008": {Bare, Bare},
		"": {Bare, Bare}, "3006": {Bare, Bare}, "garbage": {Bare, Bare},
	} {
		if i := (installation{version: version}); i.reads() != want[0] || i.takes() != want[1] {
			t.Errorf("%s: %v, %v, want %v", version, i.reads(), i.takes(), want)
		}
	}
	for _, c := range []struct {
		salt         installation
		reads, takes Framing
	}{
		{installation{sources: true, ipcLength: true}, Length, Length},                     // a source tree of 3006
		{installation{sources: true, tcpLength: true}, Bare, Length},                       // of 3008
		{installation{version: "3008.2", sources: true}, Bare, Bare},                       // a build without the change
		{installation{version: "3006.16", sources: true, ipcLength: true}, Length, Length}, // one with it
	} {
		if c.salt.reads() != c.reads || c.salt.takes() != c.takes {
			t.Errorf("%+v: %v, %v", c.salt, c.salt.reads(), c.salt.takes())
		}
	}
}

// TestFraming_OfEachReader: a program of a Salt that needs another framing than the others gets
// its own, at the same socket and without an option. If the option sets one framing, a warning
// says that this reader will wait forever. The readers are processes with a Salt installation
// around them, laid out as by pip and by Debian.
func TestFraming_OfEachReader(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		framing Framing
		file    string // below the prefix of the interpreter; "" means no Salt
		text    string
		env     string
		first   byte
		warned  bool
	}{
		"newer, beside the interpreter": {Auto, "lib/python3.10/site-packages/salt/_version.txt", "3006.27\n", "", 0x00, false},
		"newer, of Debian":              {Auto, "lib/python3/dist-packages/salt-3006.29.egg-info/x", "", "", 0x00, false},
		"newer, by PYTHONPATH":          {Auto, "src/salt/_version.txt", "3006.27", "PYTHONPATH=/nonexistent:PREFIX/src", 0x00, false},
		"older":                         {Auto, "lib/python3.11/site-packages/salt-3006.16.dist-info/x", "", "", 0x82, false},
		"no Salt":                       {Auto, "", "", "", 0x82, false},
		"newer, at a fixed form":        {Bare, "lib/python3.10/site-packages/salt/_version.txt", "3006.27", "", 0x82, true},
		"older, at a fixed form":        {Length, "lib/python3.10/site-packages/salt/_version.txt", "3006.9", "", 0x00, true},
		"newer, at its own form":        {Length, "lib/python3.10/site-packages/salt/_version.txt", "3006.27", "", 0x00, false},
	} {
		t.Run(name, func(t *testing.T) {
			prefix := t.TempDir()
			python := filepath.Join(prefix, "bin", "python3")
			if err := os.Mkdir(filepath.Dir(python), 0o700); err != nil {
				t.Fatal(err)
			}
			copyFile(t, own, python)
			if c.file != "" {
				path := filepath.Join(prefix, c.file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var log syncedLog
			b := New(clock)
			defer b.Close()
			s := serve(t, b, ServerConfig{SockDir: sockDir(t), Framing: c.framing, Log: slog.New(slog.NewTextHandler(&log, nil))})
			cmd := exec.Command(python)
			cmd.Env = append(os.Environ(), readerEnv+"="+s.PubAddr().String(), strings.ReplaceAll(c.env, "PREFIX", prefix))
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			first := make([]byte, 1)
			if _, err := io.ReadFull(out, first); err != nil || first[0] != c.first {
				t.Errorf("the reader's first byte is %#x, want %#x: %v", first, c.first, err)
			}
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it prints no more
			if got := strings.Contains(log.String(), "in another framing"); got != c.warned {
				t.Errorf("warned: %v\n%s", got, log.String())
			}
		})
	}
}

// Our client reads both framings, and receives events in any.
func TestFraming_OursReadsAll(t *testing.T) {
	for _, f := range []Framing{Auto, Bare, Length} {
		b := New(clock)
		dir := sockDir(t)
		serve(t, b, ServerConfig{SockDir: dir, Framing: f})
		c, err := Dial(context.Background(), ClientConfig{SockDir: dir, Framing: f})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Fire(context.Background(), "a/b", wire.NewMap("x", 1)); err != nil {
			t.Error(err)
		}
		if e, err := c.Next(context.Background()); err != nil || e.Tag != "a/b" {
			t.Errorf("%s: %v %v", f, e, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		b.Close()
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o700); err != nil {
		t.Fatal(err)
	}
}

type syncedLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *syncedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
