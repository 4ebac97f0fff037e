package scale

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // reads the top's job store

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/timing"
)

// rows counts the returns of jobs in the top's store, and different minions among
// them.
func (w *world) rows(ctx context.Context) (rows, minions map[string]int, err error) {
	db, err := sql.Open("sqlite", "file:"+w.conf.JobStoreFile+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	rows, minions = map[string]int{}, map[string]int{}
	rs, err := db.QueryContext(ctx, "SELECT jid, count(*), count(DISTINCT id) FROM salt_returns GROUP BY jid")
	if err != nil {
		return nil, nil, fmt.Errorf("read the top's job store: %w", err)
	}
	defer rs.Close()
	for rs.Next() {
		var jid string
		var n, m int
		if err := rs.Scan(&jid, &n, &m); err != nil {
			return nil, nil, err
		}
		rows[jid], minions[jid] = n, m
	}
	return rows, minions, rs.Err()
}

// settlePatience is how long returns may be under way after the last job has ended: a
// stock minion sends three times, each after up to 10 s.
const settlePatience = 60 * time.Second

// settle waits until no minion has a return to send, the top holds as many as were
// acknowledged, and the swarms, which report now and then, have reported whose returns of
// the jobs in played it has.
func (w *world) settle(ctx context.Context, played []Job) error {
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	for {
		all, jobs, err := w.sum()
		if err != nil {
			return err
		}
		_, minions, err := w.rows(ctx)
		if err == nil && all.Totals.Waiting == 0 {
			whole := true
			for _, j := range played {
				whole = whole && jobs[j.JID].AcknowledgedMinions >= min(j.Returned, minions[j.JID])
			}
			for jid, j := range jobs {
				whole = whole && minions[jid] >= j.AcknowledgedMinions
			}
			if whole {
				return nil
			}
		}
		if timing.Sleep(ctx, 200*time.Millisecond) != nil {
			return nil // the account tells what is lacking
		}
	}
}

// account enters what became of each job, and says what is wrong.
func (w *world) account(ctx context.Context, r *Result) error {
	rows, minions, err := w.rows(ctx)
	if err != nil {
		return err
	}
	_, swarms, err := w.sum()
	if err != nil {
		return err
	}
	n := w.shape.All()
	for i := range r.Jobs {
		j := &r.Jobs[i]
		j.Rows, j.Minions, j.Swarm = rows[j.JID], minions[j.JID], swarms[j.JID]
		s := j.Swarm
		fault := func(format string, args ...any) { r.fault("job "+j.JID+": "+format, args...) }
		if j.Error != "" {
			fault("%s", j.Error)
		}
		if j.Rows != j.Minions {
			fault("%d returns in the top's store are doubled", j.Rows-j.Minions)
		}
		if j.Minions < s.AcknowledgedMinions {
			fault("%d returns that were acknowledged are not in the top's store", s.AcknowledgedMinions-j.Minions)
		}
		if s.Lost > 0 || s.Waiting > 0 {
			fault("%d returns were given up, %d are still to be sent", s.Lost, s.Waiting)
		}
		if s.Doubled > 0 {
			fault("%d minions ran it twice", s.Doubled)
		}
		if j.Killed != "" {
			continue // who had not heard it is named
		}
		if s.Minions != n || j.Minions != n || j.Expected != n || j.Returned != n || j.Missing > 0 {
			fault("of %d minions %d heard it; the top expected %d, has %d, says that %d returned and %d are missing; %s", n, s.Minions, j.Expected, j.Minions, j.Returned, j.Missing, j.Failure)
		}
	}
	return nil
}

// lateAfterLast is how long after its last return a job may end.
const lateAfterLast = time.Second

// pace says what ended too late, of jobs without a kill.
func (w *world) pace(r *Result) {
	r.Median, r.Slowest = middle(r.times())
	for _, j := range r.Jobs {
		if j.Killed != "" || j.Error != "" {
			continue
		}
		if time.Duration(j.Took) > 3*time.Duration(r.Median) {
			r.fault("job %s took %s, more than three times the median of %s", j.JID, j.Took, r.Median)
		}
		if time.Duration(j.AfterLast) > lateAfterLast {
			r.fault("job %s ended %s after its last return", j.JID, j.AfterLast)
		}
	}
}

// probe reads what the masters count.
func (w *world) probe(ctx context.Context, r *Result) error {
	var errs []error
	for id, addr := range w.probes {
		err := scrape(ctx, addr, func(name, labels string, v float64) {
			switch {
			case v == 0:
			case name == "mom_rescued_total":
				r.fault("%s rescued %v: %s", id, v, labels)
			case name == "mom_socket_refused_total" && w.shape.Kills == 0:
				r.fault("%s refused %v connections: %s", id, v, labels)
			case name == "mom_socket_cut_total" && w.shape.Kills == 0:
				r.fault("%s cut %v connections: %s", id, v, labels)
			}
		})
		errs = append(errs, err)
	}
	for _, m := range w.cluster.Members {
		n, err := told(filepath.Join(m.Dir, "console"))
		errs = append(errs, err)
		if n > 0 {
			r.fault("%s tells %d rescues in its log", m.ID, n)
		}
	}
	all, _, err := w.sum()
	errs = append(errs, err)
	if w.shape.Kills == 0 {
		if all.Conns.Refused+all.Conns.Cut > 0 {
			r.fault("connections of minions: %d refused, %d cut", all.Conns.Refused, all.Conns.Cut)
		}
		// A time-out is Salt's own way of waiting: ten thousand cannot be signed in within 5 s.
		if q := all.Requests; q.Refused+q.Abandoned+q.Rejected > 0 {
			r.fault("requests of minions: %d sign-ins refused, %d not taken, %d given up", q.Refused, q.Rejected, q.Abandoned)
		}
	}
	return errors.Join(errs...)
}

// scrape reads metrics in the text form of Prometheus.
func scrape(ctx context.Context, addr string, each func(name, labels string, v float64)) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/metrics", nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("metrics of %s: %s", addr, reply.Status)
	}
	return parseMetrics(reply.Body, each)
}

func parseMetrics(in io.Reader, each func(name, labels string, v float64)) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		v, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return fmt.Errorf("metrics: %q: %w", line, err)
		}
		name, labels, _ := strings.Cut(line[:at], "{")
		each(name, strings.TrimSuffix(labels, "}"), v)
	}
	return lines.Err()
}

// told counts the rescues that a log tells: those of processes that were killed, too.
func told(log string) (n int, err error) {
	f, err := os.Open(log)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), logs.RescueWarning) {
			n++
		}
	}
	return n, lines.Err()
}
