package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"slices"
	"time"
)

// groupsOf returns the groups of an account. If the account is not in the files of this machine, the
// only ones that Go reads, it runs id(1), as the account may be in a directory.
func groupsOf(ctx context.Context, name string) ([]string, error) {
	u, err := user.Lookup(name)
	if unknown := user.UnknownUserError(""); errors.As(err, &unknown) {
		return groupsByID(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	ids, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	var out []string
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil { // a number without a name is nobody's entry
			out = append(out, g.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func groupsByID(ctx context.Context, name string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "id", "-Gnz", "--", name)
	cmd.Dir, cmd.WaitDelay = "/", time.Second
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("groups: id -Gnz: %w", err)
	}
	out := split(b)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// split splits names that end with a zero byte each.
func split(b []byte) []string {
	var out []string
	for _, name := range bytes.Split(b, []byte{0}) {
		if len(name) > 0 {
			out = append(out, string(name))
		}
	}
	return out
}
