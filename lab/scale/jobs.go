package scale

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/swarm"
	"github.com/momtree/mom/topology"
)

// Job is one job as who asked for it saw it, and what became of it.
type Job struct {
	JID string `json:"jid"`
	// Took is until the top told the end, AfterLast what of it came after the last
	// return was there.
	Took      swarm.Seconds `json:"took"`
	AfterLast swarm.Seconds `json:"after_last"`
	Expected  int           `json:"expected"`
	Returned  int           `json:"returned"`
	Failed    int           `json:"failed"`
	Missing   int           `json:"missing"`
	Heard     int           `json:"heard"` // returns seen on the event bus, each minion once
	Killed    string        `json:"killed,omitempty"`
	Error     string        `json:"error,omitempty"`
	// Failure is the result of the first minion that failed, cut to 300 bytes.
	Failure string `json:"failure,omitempty"`
	// Rows are the returns in the top's store, Minions different ones among them.
	Rows    int `json:"rows"`
	Minions int `json:"minions"`
	// Swarm is the account of the minions.
	Swarm swarm.JobReport `json:"swarm"`
}

// jobPatience is how long a job may take before the run goes on without its end.
const jobPatience = 3 * time.Minute

// patience is how long a job may take, beside what its minions take for it.
func (w *world) patience() time.Duration { return jobPatience + 2*w.shape.Spread }

// ping is the job that shapes publish.
var ping = client.Job{Tgt: "*", Fun: []string{"test.ping"}}

// ask publishes a job for all and follows it to its end.
func (w *world) ask(ctx context.Context, job client.Job, kill string) Job {
	j := Job{Killed: kill}
	ctx, cancel := context.WithTimeout(ctx, w.patience())
	defer cancel()
	began := time.Now()
	f, err := w.client.Follow(ctx, job)
	if f != nil {
		defer f.Close()
		j.JID = f.JID
	}
	if err != nil {
		j.Error = err.Error()
		return j
	}
	if kill != "" {
		done := make(chan error, 1)
		go func() { done <- w.killed(ctx, kill) }()
		defer func() {
			if err := <-done; err != nil {
				j.Error += err.Error()
			}
		}()
	}
	last := began
	seen := map[string]bool{}
	for {
		u, err := f.Next(ctx)
		now := time.Now()
		if err != nil {
			j.Took, j.Error = swarm.Seconds(now.Sub(began)), err.Error()
			return j
		}
		if u.Return != nil {
			last = now
			seen[u.Return.ID] = true
			if !u.Return.Success && j.Failure == "" {
				text := u.Return.Value.String()
				j.Failure = u.Return.ID + ": " + text[:min(len(text), 300)]
			}
		}
		if a := u.Complete; a != nil {
			j.Took, j.AfterLast = swarm.Seconds(now.Sub(began)), swarm.Seconds(now.Sub(last))
			j.Expected, j.Returned, j.Failed, j.Missing, j.Heard = a.Expected, a.Returned, a.Failed, len(a.Missing), len(seen)
			return j
		}
	}
}

// killed kills a node a little after a job began, and starts it again a second later.
func (w *world) killed(ctx context.Context, id string) error {
	_ = timing.Sleep(ctx, time.Duration(50+rand.IntN(250))*time.Millisecond)
	if err := w.procs[id].Kill(); err != nil {
		return err
	}
	_ = timing.Sleep(ctx, time.Second)
	return w.start(w.member(id))
}

// healed waits until all minions and nodes are connected again after a kill.
func (w *world) healed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.shape.Patience)
	defer cancel()
	for {
		all, _, err := w.sum()
		if err != nil {
			return err
		}
		if all.Conns.Up == int64(w.shape.All()) && w.heard(ctx) {
			break
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("after a node was killed %d of %d minions are connected again: %w", all.Conns.Up, w.shape.All(), err)
		}
	}
	nodes := len(w.cluster.Members) - 1
	return w.await(ctx, time.Minute, func(n topology.Node) bool {
		up := 0
		n.Walk(func(_ string, n topology.Node) {
			if n.State == topology.Up {
				up++
			}
		})
		return up == nodes+1
	})
}

// command runs `salt '*' test.ping` as a user does.
func (w *world) command(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, w.patience())
	defer cancel()
	cmd := exec.CommandContext(ctx, w.Program, "-c", w.cluster.Top().ConfDir, "*", "test.ping")
	cmd.Args[0] = "salt"
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	tail := out[max(0, len(out)-300):]
	if w.shape.Absent {
		// Exit code 1 says that minions did not return.
		if got := named(out); got != w.shape.All() || cmd.ProcessState.ExitCode() != 1 {
			return took, fmt.Errorf("salt '*' test.ping names or counts %d of %d absent minions after %v: %w: %s", got, w.shape.All(), took, err, tail)
		}
		return took, nil
	}
	if got := bytes.Count(out, []byte("    True\n")); got != w.shape.All() || err != nil {
		return took, fmt.Errorf("salt '*' test.ping shows %d of %d after %v: %w: %s", got, w.shape.All(), took, err, tail)
	}
	return took, nil
}

// counted is the line that stands for minions that are not named.
var counted = regexp.MustCompile(`(?m)^(\d+) (?:more )?minions did not return \[Not connected: (\d+)\]`)

// named is how many minions the output of a command names or counts as not connected.
func named(out []byte) int {
	n := bytes.Count(out, []byte("    Minion did not return. [Not connected]\n"))
	for _, m := range counted.FindAllSubmatch(out, -1) {
		if all, err := strconv.Atoi(string(m[1])); err == nil && bytes.Equal(m[1], m[2]) {
			n += all
		}
	}
	return n
}
