package power

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
)

// pair identifies a return by job and minion.
type pair struct{ jid, id string }

// load runs work on a recorded tree and notes each promise with its position in the record.
type load struct {
	tr        *tree
	log       *Log
	top, node *client.Client
	pids      map[string]string // minions by process

	ready int // position when the tree was up

	mu        sync.Mutex
	published map[string]int // jobs whose publication was answered
	asked     map[string]int // number of minions that must answer a job
	shown     map[pair]int   // returns that the top has shown
	keys      map[string]int // confirmed changes of keys: "accept late"
	numbers   map[string]string
}

func (l *load) promise(note func(at int)) {
	at := l.log.Len()
	l.mu.Lock()
	defer l.mu.Unlock()
	note(at)
}

// play runs the whole load. The record is complete when it returns.
func play(t *testing.T) *load {
	t.Helper()
	tr := plant(t)
	l := &load{
		tr: tr, log: tr.rec.Log, pids: map[string]string{}, published: map[string]int{}, asked: map[string]int{}, shown: map[pair]int{}, keys: map[string]int{}, numbers: map[string]string{},
	}
	top, node := tr.start(t, "top"), tr.start(t, "node")
	for _, id := range []string{"m1", "m2"} {
		l.minion(t, id)
	}
	l.top, l.node = tr.client(t, "top"), tr.client(t, "node")
	tr.up(t, l.top, 2)
	l.ready = l.log.Len()
	l.decide(t, "reject bad")
	l.decide(t, "delete old") // before there are jobs, which would wait for that minion
	l.admit(t, "new")
	l.admit(t, "was", "--undo")
	l.jobs(t, 6, 2)
	l.minion(t, "late")
	waiting.Until(t, "the key that waits", func() bool {
		all, err := l.node.Wheel(t.Context(), "key.list_all", nil)
		return err == nil && strings.Contains(fmt.Sprint(all), "late")
	})
	l.decide(t, "accept late")
	tr.up(t, l.top, 3)
	l.jobs(t, 6, 3)
	// While the top is down the node keeps returns for it; while the node is down the minions keep theirs.
	l.frozen(t, top, "minions that have handed over their returns", func(o observed) int { return len(o.acked) })
	l.frozen(t, node, "minions with returns", func(o observed) int { return len(o.queued) })
	l.jobs(t, 3, 3)
	tr.end(t)
	if err := l.log.Fault(); err != nil {
		t.Fatal(err)
	}
	return l
}

// decide makes the node change a key.
func (l *load) decide(t *testing.T, change string) {
	t.Helper()
	act, id, _ := strings.Cut(change, " ")
	if _, err := l.node.Wheel(t.Context(), "key."+act, map[string]any{"match": id}); err != nil {
		t.Fatal(err)
	}
	l.promise(func(at int) { l.keys[change] = at })
}

// admit allows or forbids a node, by the command line, as a home for others.
func (l *load) admit(t *testing.T, id string, undo ...string) {
	t.Helper()
	m, _ := l.tr.Find("node")
	cmd := exec.Command(l.tr.exe, append([]string{"node", "admit", "-c", m.ConfDir, id}, undo...)...)
	cmd.Args[0] = "mom"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l.promise(func(at int) { l.keys[strings.Join(append(undo, "admit", id), " ")] = at })
}

func (l *load) minion(t *testing.T, id string) {
	t.Helper()
	p := l.tr.start(t, id)
	l.pids[fmt.Sprint(p.Pid())] = id
}

// jobs runs n jobs to their ends, three at a time.
func (l *load) jobs(t *testing.T, n, minions int) {
	t.Helper()
	var wg sync.WaitGroup
	for from := range min(n, 3) {
		wg.Go(func() {
			for i := from; i < n; i += 3 {
				l.job(t, fmt.Sprintf("echo %0*d", 1+i*i*200, 0), minions)
			}
		})
	}
	wg.Wait()
}

// job publishes a job that leaves a file where it runs, and follows it to its end.
func (l *load) job(t *testing.T, line string, minions int) {
	l.mu.Lock()
	number := fmt.Sprint(len(l.numbers))
	l.numbers[number] = ""
	l.mu.Unlock()
	line = fmt.Sprintf("echo >>%s/%s.$PPID; %s", filepath.Join(l.tr.Dir, effects), number, line)
	f, err := l.top.Follow(t.Context(), client.Job{Tgt: "*", Fun: []string{"cmd.run"}, Args: []any{line}, Kwargs: map[string]any{"python_shell": true}})
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	l.promise(func(at int) { l.published[f.JID], l.asked[f.JID], l.numbers[number] = at, minions, f.JID })
	for {
		u, err := f.Next(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		if u.Return != nil {
			l.promise(func(at int) { l.shown[pair{f.JID, u.Return.ID}] = at })
		}
		if a := u.Complete; a != nil {
			if a.Returned != minions {
				t.Errorf("job %s: %+v", f.JID, a)
			}
			return
		}
	}
}

// frozen runs jobs that end at the minions while a node does not respond.
func (l *load) frozen(t *testing.T, p *localcluster.Process, what string, count func(observed) int) {
	t.Helper()
	var wg sync.WaitGroup
	began := len(observe(l).began)
	before := count(observe(l))
	for range 2 {
		wg.Go(func() { l.job(t, "sleep 0.4", 3) })
	}
	waiting.Until(t, "minions at work", func() bool { return len(observe(l).began) == began+6 })
	if err := syscall.Kill(p.Pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, what, func() bool { return count(observe(l)) >= before+2 })
	if err := syscall.Kill(p.Pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}
