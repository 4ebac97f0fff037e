package runners

import (
	"cmp"
	"context"
	"fmt"
	"sort"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// extSource documents the argument ext_source of several functions.
const extSource = `
ext_source
    The job cache to read: local_cache for the embedded one, or the name of the database in
    the configuration of the master. Default: both, merged.
`

// showProgress documents the argument display_progress of several functions.
const showProgress = `
display_progress : False
    Report progress by events.
`

func init() {
	Register(
		Function{Name: "jobs.active", Args: []string{"display_progress="}, Run: jobsActive, Doc: `
The jobs that are still running in the tree. No minion is queried, only the nodes below and
the other tops of a cluster, for jobs that were started there (StartedAt). Running lists the
minions that have not answered yet, Returned those that have, Missing those that will not,
and Paths the nodes between this master and a minion.
` + showProgress + `
    salt-run jobs.active
`},
		Function{Name: "jobs.lookup_jid", Args: []string{"jid", "ext_source=", "returned=", "missing=", "display_progress="}, Run: jobsLookup, Doc: `
The results of a job.

jid
    The id of the job.
` + extSource + `
returned : True
    Show the minions that answered.

missing : False
    Also show the minions that did not, with the reason if known.
` + showProgress + `
    salt-run jobs.lookup_jid 20130916125524463507
    salt-run jobs.lookup_jid 20130916125524463507 missing=True
`},
		Function{Name: "jobs.list_job", Args: []string{"jid", "ext_source=", "display_progress=", "id="}, Run: jobsListJob, Doc: `
A job and its results: the function, target and user, the minions that had to answer, those
that did not (Missing) with the reason, and the nodes above them (Paths).

jid
    The id of the job.
` + extSource + showProgress + `
id
    A minion: limits the result to this minion.

    salt-run jobs.list_job 20130916125524463507
    salt-run jobs.list_job 20130916125524463507 id=web-01
`},
		Function{Name: "jobs.print_job", Args: []string{"jid", "ext_source="}, Run: jobsPrintJob, Doc: `
Like jobs.list_job, in the form {job id: job}.

jid
    The id of the job.
` + extSource + `
    salt-run jobs.print_job 20130916125524463507
`},
		Function{Name: "jobs.exit_success", Args: []string{"jid", "ext_source="}, Run: jobsExitSuccess, Doc: `
For each minion that had to answer a job, whether it returned with return code 0.

jid
    The id of the job.
` + extSource + `
    salt-run jobs.exit_success 20160520145827701627
`},
	)
}

func jobsActive(ctx context.Context, c *Call) (any, error) {
	progress, err := c.Flag("display_progress", false)
	if err != nil {
		return nil, err
	}
	jids := c.Env.Active()
	sort.Strings(jids)
	if progress {
		c.Progress(fmt.Sprintf("%d jobs are open here", len(jids)))
	}
	out := wire.NewMap()
	for _, id := range jids {
		j, _, err := readJob(ctx, c, id)
		if err != nil {
			return nil, err
		}
		account, _ := c.Env.State(id)
		if !account.Open() || account.JID == "" {
			continue // the job ended meanwhile
		}
		m := loadRecord(j.load, j.known)
		m.Set("StartTime", jid.Pretty(id))
		running, returned := []any{}, []string{}
		for _, min := range j.minions {
			if _, waits := account.Waiting[min]; waits {
				running = append(running, wire.NewMap(min, nil))
			}
		}
		for _, r := range j.returns {
			if _, waits := account.Waiting[r.ID]; !waits {
				returned = append(returned, r.ID)
			}
		}
		m.Set("Running", running)
		m.Set("Returned", returned)
		j.additions(m)
		out.Set(id, m)
	}
	if progress {
		c.Progress("Asking the nodes below")
	}
	activeBelow(ctx, c, out)
	for top, jobs := range c.Env.ActiveAtTops(ctx) {
		for _, k := range jobs.Keys() {
			id, _ := k.(string)
			m := jobs.Map(id)
			if _, known := c.Env.State(id); known || m == nil || out.Has(id) {
				continue
			}
			m.Set("StartedAt", top)
			out.Set(id, m)
		}
	}
	return out, nil
}

// activeBelow adds the jobs that were started at a lower node. This master does not take part in
// them.
func activeBelow(ctx context.Context, c *Call, out *wire.Map) {
	for node, jobs := range c.Env.ActiveBelow(ctx) {
		for _, k := range jobs.Keys() {
			id, _ := k.(string)
			m := jobs.Map(id)
			if _, known := c.Env.State(id); known || m == nil || out.Has(id) {
				continue
			}
			paths, below := wire.NewMap(), m.Map("Paths")
			for _, v := range m.List("Minions") {
				if min, ok := v.(string); ok {
					paths.Set(min, node)
				}
			}
			if below != nil {
				for _, min := range below.Keys() {
					name, _ := min.(string)
					paths.Set(name, node+"/"+below.String(name))
				}
			}
			m.Set("Paths", paths)
			started := node
			if at := m.String("StartedAt"); at != "" {
				started += "/" + at
			}
			m.Set("StartedAt", started)
			out.Set(id, m)
		}
	}
}

func jobsLookup(ctx context.Context, c *Call) (any, error) {
	id := c.Text("jid")
	returned, err := c.Flag("returned", true)
	if err != nil {
		return nil, err
	}
	missing, err := c.Flag("missing", false)
	if err != nil {
		return nil, err
	}
	progress, err := querying(c, "Querying returner: %s")
	if err != nil {
		return nil, err
	}
	j, ok, err := readJob(ctx, c, id)
	if err != nil {
		return nil, err
	}
	out, outputter := wire.NewMap(), ""
	if !ok {
		return out, unknownJob(id)
	}
	for i, r := range j.returns {
		if outputter == "" {
			outputter = r.Out
		}
		if progress && i < reportedMinions {
			c.Progress(r.ID)
		}
		if returned {
			out.Set(r.ID, valueOf(r))
		}
	}
	if missing {
		for _, min := range j.minions {
			if g, gone := j.missing[min]; gone {
				out.Set(min, "Minion did not return. ["+g.Reason+"]")
			} else if _, in := out.Get(min); !in && j.waits(min) {
				out.Set(min, "Minion did not return. [Still running]")
			}
		}
	}
	if outputter != "" {
		return wire.NewMap("outputter", outputter, "data", out), nil
	}
	return out, nil
}

// waits reports whether the job still waits for a minion.
func (j *job) waits(id string) bool {
	if !j.open {
		return false
	}
	for _, r := range j.returns {
		if r.ID == id {
			return false
		}
	}
	return true
}

// reportedMinions limits the minions that jobs.lookup_jid reports one by one.
const reportedMinions = 1000

// querying reports which job cache is read, if the caller asked for progress.
func querying(c *Call, format string) (bool, error) {
	progress, err := c.Flag("display_progress", false)
	if progress {
		c.Progress(fmt.Sprintf(format, cmp.Or(c.Text("ext_source"), "all job caches")))
	}
	return progress, err
}

func jobsListJob(ctx context.Context, c *Call) (any, error) {
	id := c.Text("jid")
	if _, err := querying(c, "Querying returner: %s"); err != nil {
		return nil, err
	}
	m, err := fullRecord(ctx, c, id)
	if m == nil {
		return nil, err
	}
	out := wire.NewMap("jid", id)
	m.Range(func(k, v any) bool {
		out.Set(k, v)
		return true
	})
	return out, err
}

func jobsPrintJob(ctx context.Context, c *Call) (any, error) {
	id := c.Text("jid")
	m, err := fullRecord(ctx, c, id)
	if m == nil {
		return nil, err
	}
	return wire.NewMap(id, m), err
}

// fullRecord returns a job with its results. For an unknown job it returns Salt's empty record and
// an error.
func fullRecord(ctx context.Context, c *Call, id string) (*wire.Map, error) {
	j, ok, err := readJob(ctx, c, id)
	if err != nil {
		return nil, err
	}
	m := j.record()
	m.Set("Result", j.result())
	if !ok {
		return m, unknownJob(id)
	}
	return m, nil
}

func jobsExitSuccess(ctx context.Context, c *Call) (any, error) {
	j, ok, err := readJob(ctx, c, c.Text("jid"))
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	if !ok {
		return out, unknownJob(j.jid)
	}
	for _, id := range j.minions {
		out.Set(id, false)
	}
	for _, r := range j.returns {
		out.Set(r.ID, r.Success && r.Retcode == 0)
	}
	return out, nil
}
