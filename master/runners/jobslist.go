package runners

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func init() {
	Register(
		Function{
			Name: "jobs.list_jobs", Run: jobsList,
			Args: []string{"ext_source=", "outputter=", "search_metadata=", "search_function=", "search_target=", "start_time=", "end_time=", "display_progress="}, Lists: []string{"search_function", "search_target"},
			Doc: `
All stored jobs, with function and target. A job must match all filters. Jobs of
saltutil.find_job are left out unless search_function names it.
` + extSource + `
outputter
    The outputter for the result.

search_metadata
    A mapping; a job matches if its metadata has one of the pairs.

search_function, search_target
    Globs for the function and for the target, as a list or separated by commas; one match
    is enough. A job of several functions matches by any of them.

start_time, end_time
    Jobs started between the two, in UTC unless a zone is given:
    2015-03-16, "2015, Mar 16 19:00", 2015-03-16T19:00:05+01:00, or a job id.
` + showProgress + `
    salt-run jobs.list_jobs
    salt-run jobs.list_jobs search_function='test.*' search_target='db*,web-01'
    salt-run jobs.list_jobs start_time='2015, Mar 16 19:00' end_time='2015, Mar 18 22:00'
`,
		},
		Function{
			Name: "jobs.list_jobs_filter", Run: jobsListFilter, Args: []string{"count", "filter_find_job=", "ext_source=", "outputter=", "display_progress="},
			Doc: `
The last jobs, at most count.

filter_find_job : True
    Leave out saltutil.find_job.
` + extSource + `
outputter
    The outputter for the result.
` + showProgress + `
    salt-run jobs.list_jobs_filter 50
`,
		},
		Function{
			Name: "jobs.last_run", Run: jobsLastRun, Args: []string{"ext_source=", "outputter=", "metadata=", "function=", "target=", "display_progress="}, Lists: []string{"function", "target"},
			Doc: `
The last job and its results. The filters are those of jobs.list_jobs.
` + extSource + showProgress + `
    salt-run jobs.last_run
    salt-run jobs.last_run function=cmd.run target='web*'
`,
		},
	)
}

// search holds the criteria of a job search. An empty field matches all jobs.
type search struct {
	filter   returners.Filter
	metadata *wire.Map
	from, to time.Time
}

// slack extends the time range: a job may be stored later than its id says, and Salt creates job
// ids in local time.
const slack = 24 * time.Hour

func searchOf(c *Call, fun, tgt, meta string) (s search, err error) {
	if s.filter.Fun, err = c.Patterns(fun); err != nil {
		return s, err
	}
	if s.filter.Target, err = c.Patterns(tgt); err != nil {
		return s, err
	}
	s.filter.WithoutFindJob = !slices.ContainsFunc(s.filter.Fun, func(p string) bool { return strings.HasPrefix(p, "saltutil.") })
	if v, ok := c.Given(meta); ok {
		if s.metadata, ok = v.(*wire.Map); !ok {
			return s, invalid("%s=%v is not a mapping such as '{\"key\": \"value\"}'", meta, v)
		}
	}
	if v, ok := c.Given("start_time"); ok {
		if s.from, err = parseTime(fmt.Sprint(v)); err != nil {
			return s, err
		}
		s.filter.Since = s.from.Add(-slack)
	}
	if v, ok := c.Given("end_time"); ok {
		if s.to, err = parseTime(fmt.Sprint(v)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// pick reports whether a job matches the criteria that the store does not check.
func (s search) pick(l returners.Load) bool {
	at := jid.TimeOr(l.JID, l.At)
	if !s.from.IsZero() && at.Before(s.from) || !s.to.IsZero() && at.After(s.to) {
		return false
	}
	if s.metadata == nil {
		return true
	}
	d, err := wire.DecodeMap(l.Raw)
	if err != nil {
		return false
	}
	have, ok := metadata(d).(*wire.Map)
	if !ok {
		return false
	}
	found := false
	s.metadata.Range(func(k, want any) bool {
		v, ok := have.GetKey(k)
		found = ok && equal(v, want)
		return !found
	})
	return found
}

// equal compares decoded wire values. Integers may be signed or unsigned.
func equal(a, b any) bool {
	x, errX := wire.Encode(a)
	y, errY := wire.Encode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// find returns the matching jobs, oldest first.
func find(c *Call, ctx context.Context, s search) ([]returners.Load, error) {
	if _, err := querying(c, "Querying returner %s for jobs."); err != nil {
		return nil, err
	}
	store, err := c.Env.Jobs(ctx, c.Text("ext_source"))
	if err != nil {
		return nil, err
	}
	loads, err := store.ListJobs(ctx, s.filter)
	if err != nil {
		return nil, fmt.Errorf("list the jobs: %w", err)
	}
	loads = slices.DeleteFunc(loads, func(l returners.Load) bool { return !s.pick(l) })
	slices.SortFunc(loads, func(a, b returners.Load) int { return strings.Compare(a.JID, b.JID) })
	return loads, nil
}

// shown wraps v with the outputter that the caller asked for.
func shown(c *Call, v any) any {
	if name := c.Text("outputter"); name != "" {
		return wire.NewMap("outputter", name, "data", v)
	}
	return v
}

func listed(l returners.Load) *wire.Map {
	m := loadRecord(l, true)
	m.Set("StartTime", jid.Pretty(l.JID))
	return m
}

func jobsList(ctx context.Context, c *Call) (any, error) {
	s, err := searchOf(c, "search_function", "search_target", "search_metadata")
	if err != nil {
		return nil, err
	}
	loads, err := find(c, ctx, s)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	for _, l := range loads {
		out.Set(l.JID, listed(l))
	}
	return shown(c, out), nil
}

func jobsListFilter(ctx context.Context, c *Call) (any, error) {
	n, err := c.Count("count")
	if err != nil {
		return nil, err
	}
	without, err := c.Flag("filter_find_job", true)
	if err != nil {
		return nil, err
	}
	out := []any{}
	if n == 0 {
		return shown(c, out), nil
	}
	loads, err := find(c, ctx, search{filter: returners.Filter{Limit: n, WithoutFindJob: without}})
	if err != nil {
		return nil, err
	}
	for _, l := range loads {
		m := listed(l)
		m.Set("JID", l.JID)
		out = append(out, m)
	}
	return shown(c, out), nil
}

// errNoJob is returned by a search without matches.
var errNoJob = errors.New("no job in the job cache matches")

func jobsLastRun(ctx context.Context, c *Call) (any, error) {
	s, err := searchOf(c, "function", "target", "metadata")
	if err != nil {
		return nil, err
	}
	if s.metadata == nil {
		s.filter.Limit = 1 // read one job, not all
	}
	loads, err := find(c, ctx, s)
	if err != nil {
		return nil, err
	}
	if len(loads) == 0 {
		return false, errNoJob
	}
	id := loads[len(loads)-1].JID
	m, err := fullRecord(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return shown(c, wire.NewMap(id, m)), nil
}
