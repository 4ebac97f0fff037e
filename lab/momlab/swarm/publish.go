package swarm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/timing"
	engine "github.com/momtree/mom/lab/swarm"
)

// published is the result of a job that was published here, as its publisher saw it.
type published struct {
	JID      string         `json:"jid"`
	Took     engine.Seconds `json:"took"` // until the master reported the end, or, if it reports none, until all was acknowledged
	Expected int            `json:"expected"`
	Returned int            `json:"returned"`
	Failed   int            `json:"failed"`
	Missing  int            `json:"missing"`
	// Ended is set if the master reported the end.
	Ended bool   `json:"told"`
	Error string `json:"error,omitempty"`
}

// publisher publishes the jobs of --publish.
type publisher struct {
	*flags
	client *client.Client
	swarm  *engine.Swarm
}

// publishJobs publishes the jobs at the master of this machine.
func (f *flags) publishJobs(ctx context.Context, s *engine.Swarm) ([]published, error) {
	c, err := client.Open(f.dir)
	if err != nil {
		return nil, err
	}
	p := &publisher{flags: f, client: c, swarm: s}
	jobs, err := p.run(ctx)
	p.settle(ctx)
	return jobs, errors.Join(err, c.Close())
}

// run waits until all are ready and publishes. It returns the jobs so far even with an
// error.
func (p *publisher) run(ctx context.Context) ([]published, error) {
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	jobs := make([]published, p.publish)
	done := make(chan error, p.publish)
	began := time.Now()
	for i := range jobs {
		if p.every > 0 {
			if err := timing.Sleep(ctx, time.Until(began.Add(time.Duration(i)*p.every))); err != nil {
				return jobs[:i], err
			}
			go func() { done <- p.one(ctx, &jobs[i]) }()
			continue
		}
		if err := p.one(ctx, &jobs[i]); err != nil {
			return jobs[:i+1], err
		}
	}
	var errs []error
	if p.every > 0 {
		for range jobs {
			errs = append(errs, <-done)
		}
	}
	return jobs, errors.Join(errs...)
}

// ready waits until the start event of each minion is acknowledged.
func (p *publisher) ready(ctx context.Context) error {
	end := time.Now().Add(p.wait)
	for {
		r := p.swarm.Report()
		if r.Ready.Done >= r.Minions-r.Down {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("after %v %d of %d minions are ready, %d have signed in: %s; nothing was published", p.wait, r.Ready.Done, r.Minions-r.Down, r.SignedIn.Done, unready(r))
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// unready returns what to do about minions that are not ready.
func unready(r engine.Report) string {
	if n := r.Requests.TimedOut; n > 0 {
		return fmt.Sprintf("%d requests were not answered in time: start them one after the other (--ramp), or wait longer (--wait)", n)
	}
	return "are their keys accepted (--seed-keys)?"
}

// settling is how long the account may take to close after the last job: the publisher
// gets a return slightly before the minion gets its acknowledgement.
const settling = 15 * time.Second

func (p *publisher) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for p.swarm.Report().Totals.Waiting > 0 && timing.Sleep(ctx, 20*time.Millisecond) == nil {
	}
}

// one publishes a job and waits for its end.
func (p *publisher) one(ctx context.Context, j *published) error {
	ctx, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	began := time.Now()
	job := client.Job{Tgt: p.target, TgtType: p.kind, Fun: []string{p.fun}}
	if p.kind == "list" {
		job.Tgt = strings.Split(p.target, ",")
	}
	for _, a := range p.args {
		job.Args = append(job.Args, a)
	}
	f, err := p.client.Follow(ctx, job)
	if f != nil {
		defer f.Close()
		j.JID = f.JID
	}
	if err != nil {
		j.Error = err.Error()
		return fmt.Errorf("publish: %w", err)
	}
	if !f.ReportsEnd {
		return p.ownAccount(ctx, j, f.Minions, began)
	}
	missing := map[string]bool{}
	for {
		u, err := f.Next(ctx)
		if err != nil {
			j.Took, j.Error = engine.Seconds(time.Since(began)), err.Error()
			return nil // the error is in the report
		}
		for id := range u.Missing {
			missing[id] = true
		}
		if a := u.Complete; a != nil {
			j.Took, j.Ended = engine.Seconds(time.Since(began)), true
			j.Expected, j.Returned, j.Failed, j.Missing = a.Expected, a.Returned, a.Failed, len(a.Missing)
			return nil
		}
	}
}

// ownAccount waits for a job of a master that does not report its end: until all asked minions of
// this swarm are acknowledged, or have given up.
func (p *publisher) ownAccount(ctx context.Context, j *published, asked []string, began time.Time) error {
	j.Expected = len(asked)
	for {
		for _, r := range p.swarm.Report().Jobs {
			if r.JID != j.JID {
				continue
			}
			j.Returned, j.Missing = r.AcknowledgedMinions, j.Expected-r.AcknowledgedMinions
			if r.AcknowledgedMinions+r.Lost+r.Silent >= j.Expected {
				j.Took = engine.Seconds(time.Since(began))
				return nil
			}
		}
		if err := timing.Sleep(ctx, 10*time.Millisecond); err != nil {
			j.Took, j.Error = engine.Seconds(time.Since(began)), "not all answered in time"
			return nil
		}
	}
}

// tableOf prints the jobs that were published here, their median and the slowest.
func tableOf(out io.Writer, jobs []published) error {
	if len(jobs) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\npublished\ttook\texpected\treturned\tfailed\tmissing\t")
	var took []time.Duration
	for _, j := range jobs {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", j.JID, j.Took, j.Expected, j.Returned, j.Failed, j.Missing, j.Error)
		took = append(took, time.Duration(j.Took))
	}
	slices.Sort(took)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d jobs: median %s, slowest %s\n", len(jobs), engine.Seconds(took[len(took)/2]), engine.Seconds(took[len(took)-1]))
	return err
}
