//go:build linux

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// drainStream is the second half of the seed of drawDrain. Drains came later than the
// other faults, so they are drawn apart and leave the rest of a schedule as it was.
// With this number the schedules that have shown faults of the program before there
// were drains have none (TestSchedule_OldSeeds).
const drainStream = 0x648a

// drawDrain gives one seed in three a node that is drained: one of those that have a
// sibling below the same tops.
func drawDrain(seed uint64, length time.Duration) (f Fault, ok bool) {
	r := rand.New(rand.NewPCG(seed, drainStream))
	if r.IntN(3) != 0 {
		return f, false
	}
	between := func(lo, hi time.Duration) time.Duration {
		return (lo + time.Duration(r.Int64N(int64(hi-lo)))).Truncate(100 * time.Millisecond)
	}
	return Fault{
		What: Drain, Who: pick(r, idsOf(func(r role) bool { return r.tier == 2 })),
		// Not too early, for the minions of a new tree have to learn of siblings first.
		At: between(length*2/10, length*4/10), For: between(length*3/10, length*6/10),
	}, true
}

// drain empties a node as an operator does who wants to stop it, and lets it take
// minions again at the end. Neither has to succeed at once: the node may be under
// another fault. The mark is taken back in any case, so that it does not stay for the
// rounds to come.
func (w *World) drain(m *member) (heal func() error, err error) {
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err := w.command(ctx, m, "node", "drain")
		w.note("drain of %s: %v: %s", m.id, err, out)
	}()
	return func() error {
		cancel()
		<-done
		ctx, cancel := context.WithTimeout(w.ctx, w.o.Settle)
		defer cancel()
		for {
			out, err := w.command(ctx, m, "node", "drain", "--undo")
			if err == nil {
				return nil
			}
			w.note("drain of %s is not taken back: %v: %s", m.id, err, out)
			if timing.Sleep(ctx, 500*time.Millisecond) != nil {
				return fmt.Errorf("take the drain of %s back: %w: %s", m.id, err, out)
			}
		}
	}, nil
}

// command runs mom on the machine of a member and gives what it prints, on one line.
func (w *World) command(ctx context.Context, m *member, args ...string) (string, error) {
	var out strings.Builder
	cmd := exec.CommandContext(ctx, w.o.Program, append(args, "-c", filepath.Join(m.dir, "conf"))...)
	cmd.Env = append(os.Environ(), EnvClock+"="+filepath.Join(m.dir, "clock"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := w.net.within(m.station, cmd.Start); err != nil {
		return "", fmt.Errorf("start mom at %s: %w", m.id, err)
	}
	err := cmd.Wait()
	return strings.Join(strings.Fields(out.String()), " "), err
}
