package mutants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Play tries the mutants of the repository at root and prints a line for each.
func Play(ctx context.Context, out io.Writer, root, only string, unchanged bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	all, err := load(root, only)
	if err != nil {
		return err
	}
	at, err := findMarkers(root)
	if err != nil {
		return err
	}
	if unchanged {
		if err := baseline(ctx, root, all); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	count := map[verdict]int{}
	for _, m := range all {
		began := time.Now()
		v, why := m.try(ctx, root, dir, at)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		count[v]++
		fmt.Fprintf(out, "%-9s %-34s %5.1fs  %s\n%46s%s\n", v, m.name, time.Since(began).Seconds(), m.why, "", why)
	}
	fmt.Fprintf(out, "%d mutants: %d killed, %d survived, %d broken\n", len(all), count[killed], count[survived], count[broken])
	if count[killed] != len(all) {
		return errors.New("not every removed protection is noticed")
	}
	return nil
}
