package swarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/timing"
	engine "github.com/momtree/mom/lab/swarm"
	"github.com/momtree/mom/mom/command"
)

// descriptors are how many of them a swarm needs: a subscription and a request of
// each minion at once, and some for itself.
func descriptors(minions int) int { return 2*minions + 200 }

// run is the whole command.
func (f *flags) run(cmd *cobra.Command) error {
	if err := f.conflicts(cmd); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	var conf *config.Master
	if f.publish > 0 || cmd.Flags().Changed("config-dir") {
		var err error
		if conf, _, err = config.LoadMaster(f.dir); err != nil {
			return command.Exit(command.ExitUsage, fmt.Errorf("the master's configuration (-c): %w", err))
		}
	}
	c, err := f.settings(conf, log)
	if err != nil {
		return err
	}
	if err := f.makeKeys(cmd, c); err != nil {
		return err
	}
	if f.seed != "" {
		return f.seedKeys(cmd, c)
	}
	if have, err := daemon.RaiseOpenFiles(uint64(descriptors(f.count))); err != nil || have < uint64(f.count+200) {
		return errors.Join(err, fmt.Errorf("%d minions need %d descriptors, or as many as half of that when few ask at once, and this process may have %d: "+
			"raise the limit (as root: ulimit -n %d), or share the ids among processes (--first, --count)", f.count, descriptors(f.count), have, descriptors(f.count)))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40) // memory is what a swarm has most of
	}
	s, err := engine.New(c)
	if err != nil {
		return command.Exit(command.ExitUsage, err)
	}
	return f.play(cmd, s)
}

func (f *flags) makeKeys(cmd *cobra.Command, c engine.Config) error {
	told := time.Now()
	err := c.Keys.Make(cmd.Context(), c.IDs, func(done, of int) {
		if now := time.Now(); now.Sub(told) > 2*time.Second && f.progress > 0 {
			told = now
			fmt.Fprintf(cmd.ErrOrStderr(), "key pairs: %d of %d in %s\n", done, of, c.Keys.Dir)
		}
	})
	if err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	return nil
}

func (f *flags) seedKeys(cmd *cobra.Command, c engine.Config) error {
	added, err := engine.Seed(f.seed, c.IDs, c.Keys)
	if err != nil {
		return fmt.Errorf("--seed-keys: %w", err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d keys laid down as accepted in %s, %d were there\n", added, f.seed, c.IDs.Count-added)
	return err
}

// play runs the swarm to its end and shows what came of it.
func (f *flags) play(cmd *cobra.Command, s *engine.Swarm) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	told := make(chan struct{})
	go func() {
		defer close(told)
		f.tell(ctx, cmd, s)
	}()
	var jobs []published
	var err error
	switch {
	case f.publish > 0:
		jobs, err = f.publishJobs(ctx, s)
	case f.duration > 0:
		_ = timing.Sleep(ctx, f.duration) // or until interrupted
	default:
		<-ctx.Done()
	}
	report := s.Report()
	cancel()
	err = errors.Join(err, <-ended)
	<-told
	return errors.Join(err, f.show(cmd.OutOrStdout(), report, jobs))
}

// tell says how far the swarm is, now and then.
func (f *flags) tell(ctx context.Context, cmd *cobra.Command, s *engine.Swarm) {
	if f.progress <= 0 {
		return
	}
	last := ""
	for timing.Sleep(ctx, f.progress) == nil {
		r := s.Report()
		if f.lines {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(r); err != nil {
				return
			}
			continue
		}
		line := fmt.Sprintf("signed in %d, ready %d, connected %d of %d; %d jobs: received %d, acknowledged %d, waiting %d, lost %d; connections cut %d",
			r.SignedIn.Done, r.Ready.Done, r.Conns.Up, r.Minions-r.Down, r.Totals.Jobs, r.Totals.Received, r.Totals.Acknowledged, r.Totals.Waiting, r.Totals.Lost, r.Conns.Cut)
		if line != last {
			fmt.Fprintf(cmd.ErrOrStderr(), "%6s %s\n", r.Ran, line)
			last = line
		}
	}
}

// report is what is written as JSON: the account of the minions, and of the jobs that
// were published here.
type report struct {
	engine.Report
	Published []published `json:"published,omitempty"`
}

// show writes the report.
func (f *flags) show(out io.Writer, r engine.Report, jobs []published) error {
	var errs []error
	switch {
	case f.lines:
		errs = append(errs, json.NewEncoder(out).Encode(report{r, jobs}))
	default:
		errs = append(errs, r.Table(out), tableOf(out, jobs))
	}
	if f.jsonFile != "" {
		text, err := json.MarshalIndent(report{r, jobs}, "", "  ")
		if err == nil {
			err = os.WriteFile(f.jsonFile, append(text, '\n'), 0o644)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
