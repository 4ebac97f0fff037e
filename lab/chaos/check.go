//go:build linux

package chaos

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/momtree/mom/internal/logs"
)

// verdict is the result of the checks of a round.
type verdict struct {
	returns, lost, doubled int
	due, sure              int // answers to accepted jobs; those of them without an excuse
	unheard                int // healthy minions that were not waited for
	faults                 []string
}

func (v *verdict) blame(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// check verifies the jobs once the tree has settled.
func (w *World) check(ctx context.Context, jobs []*job) (*verdict, error) {
	v := &verdict{}
	ran, err := w.ran()
	if err != nil {
		return nil, err
	}
	b, err := w.read(ctx, jobs)
	if err != nil {
		return nil, err
	}
	v.doubled += b.doubled
	if b.doubled > 0 {
		v.blame("SQL has %d duplicate rows", b.doubled)
	}
	if b.differs != "" {
		v.blame("%s", b.differs)
	}
	times, err := w.times()
	if err != nil {
		return nil, err
	}
	past := w.history()
	for _, j := range jobs {
		if j.jid == "" { // it is not known whether the batch exists
			v.once(j, ran[j.mark], nil)
			continue
		}
		h := w.tops[j.Top].record(j.jid)
		v.once(j, ran[j.mark], b.rows[j.jid])
		if j.Batch != "" {
			v.account(j, b, h.ends)
			v.batch(j, h, b.rows[j.jid], b.expected[j.jid], times[j.mark])
			continue
		}
		v.account(j, b, h.ends)
		v.answers(j, h, past)
	}
	if more := v.unheard - maxUnheard; more > 0 {
		v.blame("%d more healthy minions were not waited for", more)
	}
	for _, id := range tops() {
		v.events(w.tops[id])
	}
	return v, nil
}

// once checks that a minion runs a job at most once, that each run has a row, and that each row of
// a success has a run.
func (v *verdict) once(j *job, ran map[string]int, rows map[string]row) {
	v.returns += len(rows)
	for id, n := range ran {
		if n > 1 {
			v.doubled++
			v.blame("%s ran job %s %d times", id, j.jid, n)
		}
		if _, there := rows[id]; !there && j.jid != "" {
			v.lost++
			v.blame("lost: %s ran job %s, but SQL has no row", id, j.jid)
		}
	}
	for id, r := range rows {
		if ran[id] == 0 && r.success {
			v.blame("SQL says that %s ran job %s, but it did not: %s", id, j.jid, r.result)
		}
		if !contains(j.Who, id) && j.Batch != ByClient { // a client's last slice may be published without a confirmation
			v.blame("SQL has a row of %s for job %s, but the job did not target it", id, j.jid)
		}
	}
}

// account checks that an accepted job is known, that every minion of its target is accounted for,
// and that the reported accounts add up.
func (v *verdict) account(j *job, b *books, ends []ended) {
	if !j.accepted() {
		return // the top may or may not have it
	}
	if !b.loads[j.jid] {
		v.blame("forgotten: %s accepted job %s, but SQL has no load", j.Top, j.jid)
	}
	for id, why := range b.expected[j.jid] {
		if _, there := b.rows[j.jid][id]; !there && why == "" {
			v.blame("job %s was closed without a return or a reason for %s", j.jid, id)
		}
	}
	for _, e := range ends {
		if e.expected != e.returned+e.failed+len(e.missing) {
			v.blame("the account of job %s does not add up: %d expected, %d returned, %d failed, missing %v", j.jid, e.expected, e.returned, e.failed, slices.Sorted(maps.Keys(e.missing)))
		}
	}
	for _, id := range j.Who {
		_, returned := b.rows[j.jid][id]
		_, asked := b.expected[j.jid][id]
		if !returned && !asked && !excused(id, ends) {
			v.blame("job %s targets %s, but no report names it (nodes: %v)", j.jid, id, nodesOf(ends))
		}
	}
}

// excused reports whether an account names the minion, or a node on the way to it,
// as not reached.
func excused(id string, ends []ended) bool {
	if len(ends) == 0 {
		return true // reported while nobody listened: the top or our connection to its bus was down
	}
	for _, e := range ends {
		if _, named := e.missing[id]; named {
			return true
		}
		for path, state := range e.nodes {
			if state != "answered" && above(path, id) {
				return true
			}
		}
	}
	return false
}

// above reports whether the last node of a path is above a minion.
func above(path, minion string) bool {
	node := path[strings.LastIndexByte(path, '/')+1:]
	for at := minion; ; {
		i := stationOf(at)
		if i < 0 || len(shape[i].parents) == 0 {
			return false
		}
		if at = shape[i].parents[0]; at == node {
			return true
		}
	}
}

func nodesOf(ends []ended) (out []string) {
	for _, e := range ends {
		for path, state := range e.nodes {
			out = append(out, path+" "+state)
		}
	}
	sort.Strings(out)
	return out
}

// events checks that a top fired the event of each return once.
func (v *verdict) events(t *top) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for jid, h := range t.jobs {
		for id, n := range h.rets {
			if n > 1 {
				v.doubled++
				v.blame("%s fired the return of %s to job %s %d times", t.id, id, jid, n)
			}
		}
	}
}

// memory returns the member with the highest memory use, and blames those above the limit.
func (w *World) memory(v *verdict) (id string, peak int64) {
	for _, r := range shape {
		p := w.members[r.id].measure()
		if p > peak {
			id, peak = r.id, p
		}
		if p > w.o.Memory {
			v.blame("%s used %d MiB of memory, the limit is %d", r.id, p>>20, w.o.Memory>>20)
		}
	}
	return id, peak
}

// consoles searches the output of the daemons for panics, data races and rescues.
func (w *World) consoles(v *verdict) {
	for _, r := range shape {
		b, err := os.ReadFile(filepath.Join(w.members[r.id].dir, "console"))
		if err != nil {
			v.blame("%v", err)
			continue
		}
		if i := strings.Index(string(b), logs.RescueWarning); i >= 0 {
			line, _, _ := strings.Cut(string(b[i:]), "\n")
			v.blame("%s: %d times: %s", r.id, strings.Count(string(b), logs.RescueWarning), line)
		}
		for _, bad := range []string{"\npanic: ", "fatal error: ", "DATA RACE", "\ngoroutine "} {
			if i := strings.Index(string(b), bad); i >= 0 {
				v.blame("%s: %.300s", r.id, strings.TrimSpace(string(b[i:])))
				break
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
