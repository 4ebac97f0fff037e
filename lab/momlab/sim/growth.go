package sim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/growth"
	"github.com/momtree/mom/mom/command"
)

// growthCommand is momlab sim growth.
func growthCommand() *cobra.Command {
	var from, to, perDecade int
	var data, pictures string
	var draw bool
	c := &cobra.Command{
		Use:   "growth",
		Short: "Play one job in trees of growing size; write the data and draw it",
		Long: "momlab sim growth plays test.ping to all minions of a tree (three tops as one, twelve regions\n" +
			"behind a WAN, sites of at most 4200 minions) and of a flat master, from few minions to many. It writes\n" +
			"one line for each size as CSV and draws time, messages, bytes, memory and rows as SVG. A million\n" +
			"minions take some 10 GB of memory and three minutes of a processor.",
		Example: "  momlab sim growth --to 1000000\n" +
			"  momlab sim growth --draw",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from < 1 || to < from || perDecade < 1 || perDecade > 10 {
				return command.Exit(command.ExitUsage, fmt.Errorf("--from is %d, --to %d, --per-decade %d: must be at least 1, at least --from, and 1 to 10", from, to, perDecade))
			}
			if !draw {
				if err := measure(cmd, data, growth.Sizes(from, to, perDecade)); err != nil {
					return err
				}
			}
			return drawAll(data, pictures)
		},
	}
	fl := c.Flags()
	fl.IntVar(&from, "from", 1000, "minions of the smallest tree")
	fl.IntVar(&to, "to", 100_000, "minions of the largest tree, at most")
	fl.IntVar(&perDecade, "per-decade", 2, "sizes to each factor of ten")
	fl.StringVar(&data, "data", "docs/design/scale/growth.csv", "file with the data")
	fl.StringVar(&pictures, "pictures", "docs/design/scale", "directory of the pictures")
	fl.BoolVar(&draw, "draw", false, "measure nothing: draw the data of the file")
	return c
}

// measure plays all sizes and rewrites the file after each.
func measure(cmd *cobra.Command, file string, sizes []int) error {
	var points []growth.Point
	for _, k := range growth.Kinds {
		for _, n := range sizes {
			began := time.Now()
			p, err := growth.Measure(cmd.Context(), k, n)
			if err != nil {
				return err
			}
			points = append(points, p)
			var b bytes.Buffer
			if err := growth.WriteCSV(&b, points); err != nil {
				return err
			}
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				return fmt.Errorf("write growth data: %w", err)
			}
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s of %.0f minions: last return after %.3f s; played in %s\n",
				k, p.Minions, p.Of(growth.LastReturn), time.Since(began).Round(time.Millisecond))
		}
	}
	return nil
}

func drawAll(file, dir string) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("draw growth: %w; run momlab sim growth first", err)
	}
	points, err := growth.ReadCSV(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return err
	}
	for name, c := range growth.Pictures(points) {
		var b bytes.Buffer
		if err := c.SVG(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".svg"), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("draw growth: %w", err)
		}
	}
	return nil
}
