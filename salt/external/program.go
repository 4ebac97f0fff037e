package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/process"
)

// maxErrors is the most bytes kept of a program's standard error.
const maxErrors = 8 << 10

// cleanPath is the PATH of a program.
const cleanPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// killGrace is how long pipes are read after a program was killed.
const killGrace = time.Second

// ErrLate means that a program exceeded its time limit.
var ErrLate = errors.New("it took too long")

// ask runs a program with a request on its standard input and returns its output. When ctx
// ends, it ends the program and all processes it started.
func ask(ctx context.Context, path string, question []byte, limit time.Duration, most int) ([]byte, error) {
	late, cancel := context.WithTimeoutCause(ctx, limit, ErrLate)
	defer cancel()
	cmd := exec.CommandContext(late, path)
	out, errs := &bounded{max: most}, &bounded{max: maxErrors}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), out, errs
	cmd.Dir = "/"
	// Nothing of the minion's own environment, which may hold secrets.
	//mutant:modules-external-environment
	cmd.Env = []string{"PATH=" + cleanPath, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "HOME=" + home()}
	group := process.NewGroup(cmd, nil)
	defer group.Close()
	cmd.Cancel = func() error { group.Kill(); return nil }
	cmd.WaitDelay = killGrace
	err := cmd.Start()
	if err == nil {
		err = group.Begin(cmd)
	}
	if err == nil {
		err = cmd.Wait()
	}
	switch {
	case errors.Is(context.Cause(late), ErrLate):
		return nil, fmt.Errorf("%w: more than %v", ErrLate, limit)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	//mutant:modules-external-bound
	case out.cut:
		return nil, fmt.Errorf("it wrote more than %d bytes", most)
	case err != nil:
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return nil, err
		}
		if text := strings.TrimSpace(errs.kept.String()); text != "" {
			return nil, fmt.Errorf("%w: %s", err, text)
		}
		return nil, err
	}
	return out.kept.Bytes(), nil
}

func home() string {
	if dir, err := os.UserHomeDir(); err == nil {
		return dir
	}
	return "/"
}

// bounded is a buffer with a size limit; the rest is read and dropped. The buffer is not
// embedded, since its ReadFrom would bypass the limit.
type bounded struct {
	kept bytes.Buffer
	max  int
	cut  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.kept.Len(); len(p) > room {
		b.cut = true
		b.kept.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.kept.Write(p)
}

// trusted returns an error if users other than root and the minion's own could have written
// a program, or put it in its place.
func trusted(path string) error {
	if runtime.GOOS == "windows" {
		return errors.New("programs as modules are not supported on Windows: the access list of a file is not checked")
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		st, err := os.Lstat(p)
		if err != nil {
			return err
		}
		switch {
		case st.Mode()&os.ModeSymlink != 0:
			return fmt.Errorf("%s is a link; put the program itself there", p)
		case !posix.OwnedBy(st, 0, os.Geteuid()):
			return fmt.Errorf("%s belongs to another user than root and that of the minion", p)
		//mutant:modules-external-owner
		case st.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("%s can be written by others: chmod go-w", p)
		}
	}
	return nil
}
