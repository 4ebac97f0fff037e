package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/momtree/mom/lab/sim"
)

// far are the flags about the WAN below the tops and the database that they share.
type far struct {
	rtt, commit string
	rate        float64
	wan         sim.WAN
	rows        int64
}

func (f *far) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.rtt, "wan-rtt", "", "round trip between the tops and the nodes right below them, the regions; as --rtt if not given")
	fl.Float64Var(&f.wan.Loss, "wan-loss", 0, "share of packets lost between tops and regions; TCP sends them again, so that messages are late")
	fl.Float64Var(&f.rate, "wan-rate", 0, "bandwidth between a top and a region, in Mbit/s; 0: no bound")
	fl.IntVar(&f.wan.Lost, "lost-regions", 0, "regions that are cut off from all tops at once")
	fl.DurationVar(&f.wan.At, "lost-at", 0, "when they are cut off")
	fl.DurationVar(&f.wan.For, "lost-for", time.Minute, "how long they are cut off")
	fl.Int64Var(&f.rows, "sql-rows", 0, "rows per second that the database of the tops stores; 0: the tops have none")
	fl.StringVar(&f.commit, "sql-commit", "2ms..6ms", "latency of one commit of the database")
}

// set converts the flags into options.
func (f *far) set(o *sim.Options) error {
	var errs []error
	if f.rtt != "" {
		d, err := sim.ParseDist(f.rtt)
		if err != nil {
			errs = append(errs, fmt.Errorf("--wan-rtt: %w", err))
		}
		f.wan.Delay = sim.Dist{Min: d.Min / 2, Max: d.Max / 2, Exp: d.Exp / 2}
	}
	if !(f.rate >= 0 && f.rate <= 1e6) {
		errs = append(errs, fmt.Errorf("--wan-rate is %v, must be 0 to 1000000", f.rate))
	}
	f.wan.Rate = int64(f.rate * 1e6 / 8)
	o.WAN = f.wan
	if f.rows != 0 {
		d, err := sim.ParseDist(f.commit)
		if err != nil {
			errs = append(errs, fmt.Errorf("--sql-commit: %w", err))
		}
		o.SQL = sim.SQL{Commit: d, Rows: f.rows}
	}
	return errors.Join(errs...)
}
