//go:build saltpeer

package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/lab/peers"
)

// upgrade publishes jobs at a top while daemons are exchanged. Each run of a job makes a file with a
// new name and returns that name, so runs are known even if their returns are lost.
type upgrade struct {
	*testing.T
	top     *node
	minions []*node
	dir     string // directory of the files JOB.RANDOM
	changes []*change
	stored  map[string]bool // files of returns that were in a job cache but not on the bus

	cancel context.CancelFunc
	ended  chan struct{}
	mu     sync.Mutex
	jobs   []numbered
}

// numbered is a job with its number in this test.
type numbered struct {
	n   string
	jid string // "": the command that published it failed
	at  time.Time
}

// change is the time span of an exchange of daemons, until all minions answer the top again.
type change struct {
	what     string
	from, to time.Time
	// top is the program of the top afterwards; nil is ours. Salt's masters fire the event of a
	// return again if a peer repeats it, as it does without an answer in time.
	top *peer
}

func newUpgrade(t *testing.T, top *node, minions ...*node) *upgrade {
	u := &upgrade{T: t, top: top, minions: minions, dir: filepath.Join(top.Dir, "runs"), stored: map[string]bool{}, ended: make(chan struct{})}
	if err := os.Mkdir(u.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	u.cancel = cancel
	go u.publish(ctx)
	t.Cleanup(u.end)
	return u
}

// pace bounds the wait for the returns of a job before the next one is published. Without it, Python
// daemons on a busy machine fall behind and repeat their requests.
const pace = 4 * time.Second

// publish publishes one job after the other. Its commands fail while the top is down.
func (u *upgrade) publish(ctx context.Context) {
	defer close(u.ended)
	for n := 0; ctx.Err() == nil; n++ {
		j, mark := numbered{n: strconv.Itoa(n), at: time.Now()}, u.top.events.mark()
		j.jid, _ = u.async(u.Context(), "cmd.run", "sleep 1; mktemp "+filepath.Join(u.dir, j.n+".XXXXXX"), "python_shell=True")
		u.mu.Lock()
		u.jobs = append(u.jobs, j)
		u.mu.Unlock()
		waiting.Became(pace, func() bool { return len(u.returns(mark)[j.n]) >= len(u.minions) || ctx.Err() != nil })
	}
}

// async publishes a job to all minions with our command, which starts fast.
func (u *upgrade) async(ctx context.Context, args ...string) (jid string, err error) {
	argv := u.top.Argv(nil, "salt", append([]string{"--async", "-L", u.ids()}, args...)...)
	r, err := peers.Command(ctx, exec.Command(argv[0], argv[1:]...))
	_, jid, _ = strings.Cut(strings.TrimSpace(r.Out), "Executed command with job ID: ")
	return jid, err
}

func (u *upgrade) ids() string {
	var ids []string
	for _, m := range u.minions {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, ",")
}

// end stops publishing.
func (u *upgrade) end() {
	u.cancel()
	<-u.ended
}

func (u *upgrade) all() []numbered {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.jobs)
}

// change makes a change, waits until all minions answer, and then until five later jobs have all
// their returns.
func (u *upgrade) change(what string, do func()) {
	u.Helper()
	c := &change{what: what, from: time.Now()}
	do()
	waiting.Within(u.T, 5*time.Minute, what+": all answer again", u.answered)
	c.to, c.top = time.Now(), u.top.Salt
	u.changes = append(u.changes, c)
	u.Logf("%s: from %s, %.0f s until all answered", what, c.from.Format(time.TimeOnly), c.to.Sub(c.from).Seconds())
	mark := u.top.events.mark()
	waiting.Within(u.T, 5*time.Minute, what+": five jobs have all returns", func() bool {
		done, returns := 0, u.returns(mark)
		for _, j := range u.all() {
			if j.at.After(c.to) && len(returns[j.n]) >= len(u.minions) {
				done++
			}
		}
		return done >= 5
	})
	u.look(c)
}

// answered publishes a ping and waits some seconds until all have returned to it.
func (u *upgrade) answered() bool {
	mark := u.top.events.mark()
	jid, err := u.async(u.Context(), "test.ping")
	return err == nil && jid != "" && waiting.Became(10*time.Second, func() bool {
		return !slices.ContainsFunc(u.minions, func(m *node) bool { return !u.top.events.Has(mark, "salt/job/"+jid+"/ret/"+m.ID) })
	})
}

// look asks the job cache of the top for returns to the jobs of a change that the recorder did not get
// from the bus: a top that restarts may receive returns before the recorder is connected again.
func (u *upgrade) look(c *change) {
	u.Helper()
	for _, j := range u.all() {
		if j.jid == "" || u.met(j) != c || len(u.lost(j)) == 0 {
			continue
		}
		for _, v := range u.top.lookup(u.T, j.jid) {
			s, _ := v.(string)
			u.stored[filepath.Base(s)] = true
		}
	}
}

// made is a return: its job and minion, and the file that the run made.
type made struct {
	jid, id, file string
	at            time.Time
}

// returns lists the returns on the bus of the top since a mark, by job number.
func (u *upgrade) returns(since int) map[string][]made {
	out := map[string][]made{}
	u.top.events.each(since, func(e seen) {
		parts := strings.Split(e.tag, "/")
		file, ok := strings.CutPrefix(e.data.String("return"), u.dir+"/")
		if !ok || len(parts) != 5 || parts[0] != "salt" || parts[1] != "job" || parts[3] != "ret" {
			return
		}
		n, _, _ := strings.Cut(file, ".")
		out[n] = append(out[n], made{parts[2], parts[4], file, e.at})
	})
	return out
}

// runs lists the files that the minions made for a job.
func (u *upgrade) runs(j numbered) (out []string) {
	u.Helper()
	paths, err := filepath.Glob(filepath.Join(u.dir, j.n+".*"))
	if err != nil {
		u.Fatal(err)
	}
	for _, p := range paths {
		out = append(out, filepath.Base(p))
	}
	return out
}

// lost lists the runs whose return was not received.
func (u *upgrade) lost(j numbered) []string {
	returns := u.returns(0)[j.n]
	return slices.DeleteFunc(u.runs(j), func(file string) bool {
		return u.stored[file] || slices.ContainsFunc(returns, func(r made) bool { return r.file == file })
	})
}

// repeated lists the returns that were fired more than once for a job id and a minion.
func (u *upgrade) repeated(j numbered) (out []made) {
	seen := map[string]bool{}
	for _, r := range u.returns(0)[j.n] {
		if key := r.jid + r.id; seen[key] {
			out = append(out, r)
		} else {
			seen[key] = true
		}
	}
	return out
}

// retrying is how long after its publication a change can affect a job: Salt's minions try for that
// long to send a return.
const retrying = 30 * time.Second

// met returns the change that affected a job, or nil. A job that had all its returns before a change was not affected.
func (u *upgrade) met(j numbered) *change {
	end := j.at.Add(retrying)
	returned := map[string]time.Time{}
	u.top.events.each(0, func(e seen) {
		if j.jid == "" || !strings.HasPrefix(e.tag, "salt/job/"+j.jid+"/ret/") {
			return
		}
		if _, ok := returned[e.tag]; !ok {
			returned[e.tag] = e.at
		}
	})
	if len(returned) == len(u.minions) {
		end = j.at
		for _, at := range returned {
			if at.After(end) {
				end = at
			}
		}
	}
	for _, c := range u.changes {
		if j.at.Before(c.to) && end.After(c.from) {
			return c
		}
	}
	return nil
}

// tally counts jobs.
type tally struct{ jobs, unpublished, runs, lost, repeated int }

// before returns the last change that was complete when a job was published.
func (u *upgrade) before(j numbered) (last *change) {
	for _, c := range u.changes {
		if c.to.Before(j.at) {
			last = c
		}
	}
	return last
}

// judge stops publishing, waits for pending returns and counts. Jobs that no change affected have
// one run and one return of each minion. No minion runs a job twice, and our top fires no return
// twice.
func (u *upgrade) judge() {
	u.Helper()
	u.end()
	jobs := u.all()
	waiting.Became(time.Minute, func() bool { return len(u.returns(0)[jobs[len(jobs)-1].n]) >= len(u.minions) })
	between := tally{}
	met := map[*change]*tally{}
	for _, c := range u.changes {
		met[c] = &tally{}
	}
	for _, j := range jobs {
		c := u.met(j)
		sum := met[c]
		if c == nil {
			sum = &between
		}
		runs, lost, repeated := u.runs(j), u.lost(j), u.repeated(j)
		sum.jobs++
		if j.jid == "" {
			sum.unpublished++
		}
		sum.runs += len(runs)
		sum.lost += len(lost)
		sum.repeated += len(repeated)
		if len(repeated) > 0 {
			u.Logf("job %s (%s): returns fired more than once: %+v", j.n, j.jid, repeated)
		}
		last := u.before(j)
		switch {
		case c == nil && j.jid != "" && (len(runs) != len(u.minions) || len(lost) > 0):
			u.Errorf("job %s (%s), which no change affected: %d runs, lost %v", j.n, j.jid, len(runs), lost)
		case len(repeated) > 0 && last != nil && last.top == nil && (c == nil || c.top == nil):
			u.Errorf("job %s (%s): our top fired returns more than once: %+v", j.n, j.jid, repeated)
		case len(runs) > len(u.minions):
			u.Errorf("job %s (%s): run more than once by a minion: %v", j.n, j.jid, runs)
		}
	}
	u.Logf("%-26s %5s %11s %5s %5s %8s", "", "jobs", "unpublished", "runs", "lost", "repeated")
	line := func(what string, s tally) {
		u.Logf("%-26s %5d %11d %5d %5d %8d", what, s.jobs, s.unpublished, s.runs, s.lost, s.repeated)
	}
	line("between changes", between)
	for _, c := range u.changes {
		line(c.what, *met[c])
	}
}
