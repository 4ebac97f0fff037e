//go:build linux

package chaos

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	build "github.com/momtree/mom/test/program"
)

// EnvClock names the file that sets the clock of a program built by [Build].
const EnvClock = "MOM_CHAOS_CLOCK"

//go:embed clock.go.txt
var clockFile string

// Build builds the command into dir with a wall clock that can be set from
// outside, and gives its path. The product has no such clock: the source of
// package time is laid over with one in which Now adds an offset. So every
// reading of the wall clock in the program jumps, that of libraries too, and
// timers go on, just as when the clock of a machine is set.
func Build(ctx context.Context, dir string) (string, error) {
	const command = "github.com/momtree/mom/mom"
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "time", command).Output()
	if err != nil {
		return "", fmt.Errorf("find the sources: %w", err)
	}
	folders := strings.Fields(string(out))
	if len(folders) != 2 {
		return "", fmt.Errorf("find the sources: %q are not two folders", out)
	}
	source := filepath.Join(folders[0], "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", fmt.Errorf("read package time: %w", err)
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), now) != 1 {
		return "", errors.New("time.Now of this Go release is written in another way; chaos.Build has to follow")
	}
	shifted := strings.Replace(string(text), now, now+"\tsec += *ChaosOffset\n", 1) +
		"\n// ChaosOffset is by how many seconds the wall clock is off.\nvar ChaosOffset = new(int64)\n"
	replace := map[string]string{}
	for path, content := range map[string]string{source: shifted, filepath.Join(folders[1], "chaosclock.go"): clockFile} {
		mine := filepath.Join(dir, "overlay-"+filepath.Base(path))
		if err := os.WriteFile(mine, []byte(content), 0o600); err != nil {
			return "", err
		}
		replace[path] = mine
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay, file := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mom")
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		return "", err
	}
	if err := build.Build(ctx, file, "-overlay", overlay); err != nil {
		return "", err
	}
	return file, nil
}
