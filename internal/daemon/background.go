package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// backgroundEnv marks the child that goes on in the background; its value is the
// descriptor on which it says that it has started.
const backgroundEnv = "MOM_BACKGROUND_FD"

// Background starts this program again, detached from the terminal, and waits
// until that process has called [Started] or ended. It is the -d of the daemons:
// a start that fails is told by the command, not only in the log.
func Background() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("go into the background: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("go into the background: %w", err)
	}
	defer r.Close()
	cmd := exec.Command(exe, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), backgroundEnv+"=3")
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("go into the background: %w", err), w.Close())
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("go into the background: %w", err)
	}
	line, _ := bufio.NewReader(r).ReadString('\n') // an error means that the child ended without a word
	if line == "ok\n" {
		return cmd.Process.Release()
	}
	err = cmd.Wait()
	if text := strings.TrimSpace(line); text != "" {
		return errors.New(text)
	}
	return fmt.Errorf("the daemon ended at its start: %w", err)
}

// InBackground tells whether this process is the one [Background] started.
func InBackground() bool { return os.Getenv(backgroundEnv) != "" }

// Started tells the command that waits in [Background] how the start went.
func Started(startErr error) {
	if !InBackground() {
		return
	}
	w := os.NewFile(3, "started")
	text := "ok\n"
	if startErr != nil {
		text = strings.ReplaceAll(startErr.Error(), "\n", "; ") + "\n"
	}
	_, _ = w.WriteString(text) // the command may have been interrupted
	_ = w.Close()
	_ = os.Unsetenv(backgroundEnv)
}
