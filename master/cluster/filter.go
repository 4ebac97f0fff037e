package cluster

import (
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// filterOf encodes a filter of jobs, readFilter decodes it.
func filterOf(f returners.Filter) *wire.Map {
	m := wire.NewMap("fun", wire.AnyList(f.Fun), "target", wire.AnyList(f.Target), "limit", f.Limit, "find_job", !f.WithoutFindJob)
	if !f.Since.IsZero() {
		m.Set("since", f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		m.Set("until", f.Until.UnixMicro())
	}
	return m
}

func readFilter(d *wire.Map) returners.Filter {
	at := func(name string) time.Time {
		if v, ok := d.Get(name); ok {
			if us, ok := v.(int64); ok {
				return time.UnixMicro(us).UTC()
			}
		}
		return time.Time{}
	}
	return returners.Filter{
		Fun: d.Strings("fun"), Target: d.Strings("target"), Since: at("since"), Until: at("until"),
		Limit: int(max(d.Float("limit"), 0)), WithoutFindJob: !d.Bool("find_job"),
	}
}
