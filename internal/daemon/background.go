package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// backgroundEnv marks the child that continues in the background; its value is the descriptor
// on which it reports that it has started.
const backgroundEnv = "MOM_BACKGROUND_FD"

// Background starts this program again, detached from the terminal, and waits until that
// process has called [Started] or ended. The option -d of the daemons uses it: the command
// itself reports a failed start, not only the log.
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
	if err := detach(cmd); err != nil {
		return errors.Join(err, w.Close())
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("go into the background: %w", err), w.Close())
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("go into the background: %w", err)
	}
	line, _ := bufio.NewReader(r).ReadString('\n') // on an error the child ended without a report
	if line == "ok\n" {
		return cmd.Process.Release()
	}
	err = cmd.Wait()
	if text := strings.TrimSpace(line); text != "" {
		return errors.New(text)
	}
	return fmt.Errorf("the daemon ended at its start: %w", err)
}

// InBackground reports whether [Background] started this process.
func InBackground() bool { return os.Getenv(backgroundEnv) != "" }

// Started reports the result of the start to the command that waits in [Background].
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
