//go:build linux

package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

const (
	// agreeWithin is how long after the tree has settled the tops of a cluster may answer a lookup
	// differently.
	agreeWithin = time.Second
	// maxUnlike is how many jobs with different answers are listed one by one.
	maxUnlike = 5
)

// agree checks that the tops of a cluster have the same of every accepted job: the returns in their
// own stores, the account and the result of a lookup.
func (w *World) agree(ctx context.Context, v *verdict, s Schedule, jobs []*job) error {
	if !w.o.Cluster {
		return nil
	}
	own, accounts := map[string]map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, id := range tops() {
		var err error
		if own[id], err = w.members[id].returns(ctx); err != nil {
			return fmt.Errorf("look into the job store of %s: %w", id, err)
		}
		if accounts[id], err = w.members[id].accounts(ctx); err != nil {
			return fmt.Errorf("look into the job store of %s: %w", id, err)
		}
	}
	unlike, until := 0, time.Now().Add(agreeWithin)
	for _, j := range jobs {
		if j.jid == "" || !j.accepted() {
			continue
		}
		v.sameReturns(j.jid, own)
		v.accountAtEach(j, accounts, s)
		for _, show := range []string{"jobs.lookup_jid", "jobs.list_job"} {
			diff, err := w.alike(ctx, show, j.jid, until)
			if err != nil {
				return err
			}
			if diff == "" {
				continue
			}
			if unlike++; unlike <= maxUnlike {
				v.blame("%s %s differs %v after the tree has settled: %s", show, j.jid, agreeWithin, diff)
			}
		}
	}
	if more := unlike - maxUnlike; more > 0 {
		v.blame("%d more lookups differ between the tops", more)
	}
	return nil
}

// sameReturns checks that the own stores of all tops have the same returns of a job.
func (v *verdict) sameReturns(jid string, own map[string]map[string]map[string]bool) {
	first := ""
	for i, id := range slices.Sorted(maps.Keys(own)) {
		has := strings.Join(sortedKeys(own[id][jid]), " ")
		if i == 0 {
			first = has
		} else if has != first {
			v.blame("job %s: %s has the returns of %q, %s those of %q", jid, slices.Sorted(maps.Keys(own))[0], first, id, has)
		}
	}
}

// accountAtEach checks that each top has the account of a job in its own store. If the top where it
// started was killed, the other one may have missed it; it then asks.
func (v *verdict) accountAtEach(j *job, accounts map[string]map[string]bool, s Schedule) {
	killed := slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.What == Kill && f.Who == j.Top })
	for _, id := range slices.Sorted(maps.Keys(accounts)) {
		if !accounts[id][j.jid] && (id == j.Top || !killed) {
			v.blame("job %s of %s has no account at %s", j.jid, j.Top, id)
		}
	}
}

// alike asks each top about a job until all answer the same, at least once and until a time. It
// returns the difference.
func (w *World) alike(ctx context.Context, show, jid string, until time.Time) (diff string, err error) {
	for {
		diff = ""
		first := ""
		for i, id := range tops() {
			got, err := w.lookUp(ctx, id, show, jid)
			if err != nil {
				return "", err
			}
			if i == 0 {
				first = got
			} else if got != first {
				diff = fmt.Sprintf("%s: %.600s; %s: %.600s", tops()[0], first, id, got)
			}
		}
		if diff == "" || time.Now().After(until) {
			return diff, nil
		}
		if err := timing.Sleep(ctx, 50*time.Millisecond); err != nil {
			return "", err
		}
	}
}

// lookUp returns what a top shows of a job, as text that is the same for the same answer. The reasons
// of missing minions are left out: each top has its own.
func (w *World) lookUp(ctx context.Context, top, show, jid string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	raw, err := w.tops[top].client.Runner(ctx, show, jid)
	if err != nil {
		return "", fmt.Errorf("%s %s at %s: %w", show, jid, top, err)
	}
	return lookupText(raw.Decode())
}

// lookupText renders an answer with sorted keys.
func lookupText(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	m, ok := v.(*wire.Map)
	if !ok {
		return fmt.Sprint(v), nil
	}
	if missing := m.Map("Missing"); missing != nil {
		m.Set("Missing", wire.AnyList(slices.Sorted(slices.Values(wire.Texts(missing.Keys())))))
	}
	var lines []string
	m.Range(func(k, e any) bool {
		if k == "Paths" { // a minion may have moved
			return true
		}
		text, _ := lookupText(e, nil) // only decoding fails
		lines = append(lines, fmt.Sprintf("%v: %s", k, text))
		return true
	})
	slices.Sort(lines)
	return "{" + strings.Join(lines, ", ") + "}", nil
}

// accounts lists the jobs whose account a top has in its own store.
func (m *member) accounts(ctx context.Context) (map[string]bool, error) {
	db, err := sql.Open("sqlite", "file:"+m.store()+"?mode=ro&_pragma=busy_timeout(2000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	out := map[string]bool{}
	var jid string
	err = each(ctx, db, "SELECT e.jid FROM expectations e JOIN jids j ON j.jid = e.jid WHERE e.node = '' AND e.state != 'adopted' AND j.load IS NOT NULL", nil, []any{&jid}, func() { out[jid] = true })
	return out, err
}

// readApart adds to books what only the tops have if they do not use MariaDB: loads, and the minions
// that they reported as missing.
func (w *World) readApart(ctx context.Context, b *books, jobs []*job) error {
	if !w.o.Apart {
		return nil
	}
	for _, id := range tops() {
		has, err := w.members[id].accounts(ctx)
		if err != nil {
			return fmt.Errorf("look into the job store of %s: %w", id, err)
		}
		for _, j := range jobs {
			b.loads[j.jid] = b.loads[j.jid] || has[j.jid]
			for _, e := range w.tops[id].record(j.jid).ends {
				for minion, why := range e.missing {
					b.name(j.jid, minion, why.reason)
				}
			}
		}
	}
	return nil
}

// name adds a minion that was reported as missing.
func (b *books) name(jid, id, why string) {
	if b.expected[jid] == nil {
		b.expected[jid] = map[string]string{}
	}
	if b.expected[jid][id] == "" {
		b.expected[jid][id] = why
	}
}
