package windows

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/test/program"
)

// patience bounds each wait: Wine is slow on a busy machine.
const patience = 3 * time.Minute

// loader returns Wine's program for programs of 64 bits. Debian has it outside of PATH.
func loader(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"wine64", "/usr/lib/wine/wine64", "wine"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("the test needs Wine: apt-get install wine64 (make deps)")
	return ""
}

// wine is a Windows of its own in a temporary folder.
type wine struct {
	loader string
	prefix string // holds drive_c
}

// newWine creates it, which takes Wine some seconds.
func newWine(t *testing.T) *wine {
	t.Helper()
	dir, err := os.MkdirTemp("", "wine")
	if err != nil {
		t.Fatal(err)
	}
	w := &wine{loader: loader(t), prefix: dir}
	t.Cleanup(func() {
		w.stop(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if out, err := w.run(t, "wineboot", "-i"); err != nil {
		t.Fatalf("wineboot: %v\n%s", err, out)
	}
	w.addPrng(t)
	return w
}

// stop ends all programs of this Windows and waits for the end of its server.
func (w *wine) stop(t *testing.T) {
	t.Helper()
	server := "wineserver"
	if _, err := exec.LookPath(server); err != nil {
		server = filepath.Join(filepath.Dir(w.loader), "wineserver")
	}
	for _, option := range []string{"-k", "-w"} {
		cmd := exec.Command(server, option)
		cmd.Env = w.env()
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) { // -k fails if nothing runs
			t.Errorf("wineserver %s: %v", option, err)
		}
	}
}

func (w *wine) env() []string {
	// Neither .NET nor a browser is asked for, nor a display.
	return append(os.Environ(), "WINEPREFIX="+w.prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", "WINEARCH=win64", "DISPLAY=")
}

// path returns the path of a file on drive C on this system.
func (w *wine) path(name string) string {
	return filepath.Join(w.prefix, "drive_c", strings.ReplaceAll(name, `\`, "/"))
}

// command returns a program of Windows to be run.
func (w *wine) command(ctx context.Context, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.loader, words...)
	cmd.Env = w.env()
	cmd.Dir = w.prefix
	cmd.WaitDelay = time.Second
	return cmd
}

// run runs a program to its end and returns its output.
func (w *wine) run(t *testing.T, words ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// Servers of Wine keep the output open, so it goes to a file.
	out, err := os.CreateTemp(w.prefix, "output")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := w.command(ctx, words...)
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	text, readErr := os.ReadFile(out.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n"), err
}

// write writes a file of drive C.
func (w *wine) write(t *testing.T, name, text string) {
	t.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program builds mom for Windows with a version.
func (w *wine) program(t *testing.T, name, version string) {
	t.Helper()
	if err := program.BuildFor(t.Context(), "windows/amd64", w.path(name), "-trimpath", "-buildvcs=false", "-ldflags", "-X main.stamped="+version); err != nil {
		t.Fatal(err)
	}
}

// minion is a minion that runs under Wine.
type minion struct {
	cmd *exec.Cmd
	log string
}

// start starts the minion with the configuration in C:\salt\conf.
func (w *wine) start(t *testing.T, exe string) *minion {
	t.Helper()
	m := &minion{cmd: w.command(context.WithoutCancel(t.Context()), exe, "minion", "-l", "info"), log: filepath.Join(w.prefix, "minion.log")}
	out, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	m.cmd.Stdout, m.cmd.Stderr = out, out
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			text, _ := os.ReadFile(m.log)
			t.Logf("minion:\n%s", text)
		}
		m.stop()
	})
	return m
}

// stop ends the minion.
func (m *minion) stop() {
	if m.cmd.ProcessState == nil {
		_ = m.cmd.Process.Signal(syscall.SIGKILL)
		_ = m.cmd.Wait()
	}
}
