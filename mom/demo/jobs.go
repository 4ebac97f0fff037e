package demo

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/topology"
)

// jobs runs two jobs that everybody answers.
func (d *demo) jobs(ctx context.Context) error {
	for _, j := range []client.Job{
		{Tgt: "*", Fun: []string{"test.ping"}},
		{Tgt: "*", Fun: []string{"cmd.run"}, Args: []any{"echo Hello from $(hostname)"}},
	} {
		a, err := d.job(ctx, j)
		if err != nil {
			return err
		}
		if a.Expected != a.Returned {
			return fmt.Errorf("%s: %d of %d minions answered: %v", j.Fun[0], a.Returned, a.Expected, a.Missing)
		}
	}
	return nil
}

// nobody shows that a target without a match ends at once.
func (d *demo) nobody(ctx context.Context) error {
	a, err := d.job(ctx, client.Job{Tgt: "nosuch*", Fun: []string{"test.ping"}})
	if errors.Is(err, client.ErrNoMatch) { // without a node below, the master itself knows that
		d.say("  No minions matched the target.\n")
		return nil
	}
	if err == nil && a.Expected != 0 {
		err = fmt.Errorf("%d minions answered a target that matches nothing", a.Expected)
	}
	return err
}

// victim kills the last minion of the tree and shows that it is named.
func (d *demo) victim(ctx context.Context) error {
	var id string
	for _, m := range d.cluster.Members {
		if m.Kind == localcluster.Minion && strings.Count(m.Path, "/") >= strings.Count(d.pathTo(id), "/") {
			id = m.ID
		}
	}
	p := d.procs[id]
	d.procs[id] = nil
	d.say("\n$ kill -9 %d    # that is %s\n", p.Pid(), id)
	if err := p.Kill(); err != nil {
		return err
	}
	err := d.await(ctx, func(n topology.Node) bool {
		down := false
		n.Walk(func(_ string, c topology.Node) {
			for _, m := range c.Minions {
				down = down || m.ID == id && m.State == topology.Down
			}
		})
		return down
	})
	if err != nil {
		return fmt.Errorf("the tree did not show %s as down: %w", id, err)
	}
	a, err := d.job(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil {
		return err
	}
	if _, named := a.Missing[id]; !named {
		return fmt.Errorf("%s is dead, but was not named", id)
	}
	return d.draw(ctx)
}

func (d *demo) pathTo(id string) string {
	m, _ := d.cluster.Find(id)
	return m.Path
}

// job runs one job as `salt` does and prints what comes when.
func (d *demo) job(ctx context.Context, j client.Job) (*client.Account, error) {
	d.say("\n$ salt '%v' %s", j.Tgt, j.Fun[0])
	for _, a := range j.Args {
		d.say(" '%v'", a)
	}
	d.say("\n")
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := d.client.Follow(ctx, j)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start, last := time.Now(), time.Time{}
	for {
		u, err := f.Next(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case u.Return != nil:
			last = time.Now()
			d.say("  %6.1f ms  %-10s %s\n", ms(last.Sub(start)), u.Return.ID, text(u.Return.Value))
		case u.Complete != nil:
			d.close(u.Complete, start, last)
			d.last = f.JID
			return u.Complete, nil
		}
	}
}

func (d *demo) close(a *client.Account, start, last time.Time) {
	end := time.Now()
	ids := make([]string, 0, len(a.Missing))
	for id := range a.Missing {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		d.say("             %-10s did not return [%s], behind %s\n", id, a.Missing[id].Reason, pathOf(d.cluster.Top().ID, a.Missing[id]))
	}
	d.say("  %d expected, %d returned, %d failed, %d missing", a.Expected, a.Returned, a.Failed, len(a.Missing))
	if last.IsZero() {
		d.say("; the job ended after %.1f ms\n", ms(end.Sub(start)))
		return
	}
	d.say("; the job ended %.1f ms after the last return\n", ms(end.Sub(last)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// text shows a result on one line, as Python writes it.
func text(raw client.Raw) string {
	v, err := raw.Decode()
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return strings.ReplaceAll(pyfmt.Str(v), "\n", " | ")
}
