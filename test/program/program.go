package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Build builds mom into file, static as it is shipped. Args go to go build; it takes what
// GOFLAGS of the environment says, by which mutants are built.
func Build(ctx context.Context, file string, args ...string) error {
	return BuildFor(ctx, "", file, args...)
}

// BuildFor is Build for a system such as windows/amd64; "" is the system at hand.
func BuildFor(ctx context.Context, system, file string, args ...string) error {
	argv := slices.Concat([]string{"build", "-o", file}, args, []string{"github.com/momtree/mom/mom"})
	cmd := exec.CommandContext(ctx, "go", argv...)
	cmd.Env = Env()
	if goos, goarch, ok := strings.Cut(system, "/"); ok {
		cmd.Env = append(cmd.Env, "GOOS="+goos, "GOARCH="+goarch)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

// Env returns the environment for go commands that build as a release is built: without cgo and
// without paths of this machine. Packages that were built so once are not built again.
func Env() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
}
