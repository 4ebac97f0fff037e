package daemon

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// SIGUSR1 writes the stacks and does not end the process.
func TestWriteStacks(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	defer WriteStacks(slog.New(slog.DiscardHandler))()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if !waiting.Became(30*time.Second, func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "salt-debug-*.log"))
		if err != nil || len(files) != 1 {
			return false
		}
		b, err := os.ReadFile(files[0])
		return err == nil && bytes.Contains(b, []byte("TestWriteStacks"))
	}) {
		t.Error("the stacks are not written")
	}
}
