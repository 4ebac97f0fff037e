package scale

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/lab/swarm"
)

// herd is the process that plays the minions of one leaf.
type herd struct {
	leaf string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and all that it said is read

	mu   sync.Mutex
	last swarm.Report
	err  error
}

// roomy is up to how many minions swarms may have memory as they like.
const roomy = 20_000

// herd starts the minions of a leaf.
func (w *world) herd(i int) error {
	m, ids := w.leaves[i], w.ids(i)
	behave := []string{"--behave", "mix", "--mom-share", strconv.FormatFloat(w.shape.Mom, 'g', -1, 64)}
	args := append([]string{
		"swarm", "--master", "127.0.0.1", "--port", strconv.Itoa(m.RetPort), "--id", ids.Pattern,
		"--first", strconv.Itoa(ids.First), "--count", strconv.Itoa(ids.Count), "--keys", w.keys().Dir, "--shared-key",
		"--progress", cmp.Or(w.Progress, 250*time.Millisecond).String(), "--json-lines", "--ramp", w.shape.Ramp.String(), "--delay", "0s.." + w.shape.Spread.String(),
	}, behave...)
	cmd := exec.Command(w.Lab, args...)
	console, err := os.Create(filepath.Join(w.Dir, "swarm-"+m.ID))
	if err != nil {
		return err
	}
	defer console.Close()
	cmd.Stderr = console
	if w.shape.All() <= roomy {
		cmd.Env = append(os.Environ(), "GOGC=400") // what the swarm spends on its memory the nodes do not have
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the minions of %s: %w", m.ID, err)
	}
	h := &herd{leaf: m.ID, cmd: cmd, done: make(chan struct{})}
	w.herds = append(w.herds, h)
	go h.read(out, console.Name())
	return nil
}

// read keeps the newest report.
func (h *herd) read(out io.Reader, console string) {
	defer close(h.done)
	in := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var r swarm.Report
			if err := json.Unmarshal(line, &r); err == nil {
				h.mu.Lock()
				h.last = r
				h.mu.Unlock()
			}
		}
		if err != nil {
			break
		}
	}
	if err := h.cmd.Wait(); err != nil {
		h.mu.Lock()
		h.err = fmt.Errorf("the minions of %s: %w; see %s", h.leaf, err, console)
		h.mu.Unlock()
	}
}

func (h *herd) report() (swarm.Report, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last, h.err
}

// endPatience is how long a swarm may take to end.
const endPatience = 30 * time.Second

// end asks the process to end and gives its last report.
func (h *herd) end() (swarm.Report, error) {
	_ = h.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-h.done:
	case <-time.After(endPatience):
		_ = h.cmd.Process.Kill()
		<-h.done
	}
	r, err := h.report()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 128+int(syscall.SIGTERM) || exit.ExitCode() == 130) {
		err = nil
	}
	return r, err
}

// sum adds up what all swarms say; by job, too.
func (w *world) sum() (all swarm.Report, jobs map[string]swarm.JobReport, err error) {
	jobs = map[string]swarm.JobReport{}
	for _, h := range w.herds {
		r, e := h.report()
		err = errors.Join(err, e)
		all.Minions += r.Minions
		all.SignedIn.Done += r.SignedIn.Done
		all.SignedIn.Last = max(all.SignedIn.Last, r.SignedIn.Last)
		all.SignedIn.P50 = max(all.SignedIn.P50, r.SignedIn.P50)
		all.Ready.Done += r.Ready.Done
		all.Ready.Last = max(all.Ready.Last, r.Ready.Last)
		all.Conns.Up += r.Conns.Up
		all.Conns.Refused += r.Conns.Refused
		all.Conns.Cut += r.Conns.Cut
		all.Requests.Refused += r.Requests.Refused
		all.Requests.TimedOut += r.Requests.TimedOut
		all.Requests.Abandoned += r.Requests.Abandoned
		all.Requests.Rejected += r.Requests.Rejected
		all.Totals.Waiting += r.Totals.Waiting
		all.Totals.Lost += r.Totals.Lost
		all.Memory.Peak += r.Memory.Peak
		for _, j := range r.Jobs {
			s := jobs[j.JID]
			s.JID, s.Fun = j.JID, j.Fun
			s.Minions += j.Minions
			s.Received += j.Received
			s.Acknowledged += j.Acknowledged
			s.AcknowledgedMinions += j.AcknowledgedMinions
			s.Lost += j.Lost
			s.Silent += j.Silent
			s.Waiting += j.Waiting
			s.Doubled += j.Doubled
			s.PassedOver += j.PassedOver
			s.Retried += j.Retried
			jobs[j.JID] = s
		}
	}
	return all, jobs, err
}

// member gives a node of the tree.
func (w *world) member(id string) localcluster.Member {
	m, _ := w.cluster.Find(id)
	return m
}
