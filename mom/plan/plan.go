package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/topology/plan"
)

// flags are the flags of mom plan.
type flags struct {
	needs                plan.Needs
	memory               int64 // MiB
	costs                []string
	calibrate, listCosts bool
	out                  string
}

// Command is mom plan.
func Command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "plan --minions N",
		Short: "Say which tree to build for a number of minions and a load",
		Example: "  mom plan --minions 50000 --jobs-per-minute 2\n" +
			"  mom plan --minions 1000000 --rtt 20ms --cores 8 --memory 16384 --calibrate",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := c.Flags()
	fl.IntVar(&f.needs.Minions, "minions", 0, "how many minions")
	fl.DurationVar(&f.needs.RTT, "rtt", 2*time.Millisecond, "round trip between nodes")
	fl.DurationVar(&f.needs.MinionRTT, "minion-rtt", time.Millisecond, "round trip between a minion and its node")
	fl.Float64Var(&f.needs.JobsPerMinute, "jobs-per-minute", 0, "jobs to all minions")
	fl.Float64Var(&f.needs.Returns, "returns", 0, "further returns per second, of all minions together")
	fl.IntVar(&f.needs.Size, "size", 100, "bytes of the result in a return")
	fl.IntVar(&f.needs.Open, "open-jobs", 3, "jobs to all minions that are open at once")
	fl.IntVar(&f.needs.Cores, "cores", 2, "processors of one node")
	fl.Int64Var(&f.memory, "memory", 4096, "memory of one node, in MiB")
	fl.Float64Var(&f.needs.Load, "load", 0.5, "share of its processors that a node may use for a steady load")
	fl.DurationVar(&f.needs.Restart, "restart-within", time.Minute, "time in which the minions of a restarted node have signed in again")
	fl.DurationVar(&f.needs.Run, "run", 30*time.Millisecond, "what a minion needs for test.ping")
	fl.StringArrayVar(&f.costs, "cost", nil, "another unit cost, name=value; --costs lists them (may be repeated)")
	fl.BoolVar(&f.calibrate, "calibrate", false, "measure the unit costs of processors on this machine first, a few seconds")
	fl.BoolVar(&f.listCosts, "costs", false, "print the unit costs with their source, and no plan")
	fl.StringVar(&f.out, "out", "text", "text or json")
	command.Values(c, "out", "text", "json")
	return c
}

func (f *flags) run(cmd *cobra.Command) error {
	if f.out != "text" && f.out != "json" {
		return command.Exit(command.ExitUsage, fmt.Errorf("--out is %q, must be text or json", f.out))
	}
	costs, err := f.unitCosts(cmd)
	if err != nil {
		return err
	}
	if f.listCosts {
		return f.print(cmd, costs, costs.Text)
	}
	f.needs.Memory = f.memory << 20
	// What a flag says counts; 0 would ask for the default instead.
	for name, zero := range map[string]bool{
		"size": f.needs.Size == 0, "open-jobs": f.needs.Open == 0, "cores": f.needs.Cores == 0, "memory": f.memory <= 0 || f.memory > 1<<30,
		"load": f.needs.Load == 0, "rtt": f.needs.RTT == 0, "minion-rtt": f.needs.MinionRTT == 0, "run": f.needs.Run == 0,
		"restart-within": f.needs.Restart == 0,
	} {
		if zero {
			err = errors.Join(err, fmt.Errorf("--%s: out of range", name))
		}
	}
	if err != nil {
		return command.Exit(command.ExitUsage, err)
	}
	p, err := plan.Make(f.needs, costs)
	if errors.Is(err, plan.ErrTooMuch) {
		return err
	}
	if err != nil {
		return command.Exit(command.ExitUsage, err)
	}
	return f.print(cmd, p, p.Text)
}

func (f *flags) unitCosts(cmd *cobra.Command) (plan.Costs, error) {
	costs := plan.Measured()
	if f.calibrate {
		if err := calibrate(cmd.Context(), costs); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, s := range f.costs {
		name, v, _ := strings.Cut(s, "=")
		value, err := strconv.ParseFloat(v, 64)
		if err == nil {
			err = costs.Set(name, value, "--cost")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--cost %s: %w", s, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, command.Exit(command.ExitUsage, err)
	}
	return costs, nil
}

func (f *flags) print(cmd *cobra.Command, v any, text func(io.Writer) error) error {
	if f.out == "text" {
		return text(cmd.OutOrStdout())
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
