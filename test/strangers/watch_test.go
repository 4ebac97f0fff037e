package strangers

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// askerOf names the API, in the environment of a process that asks for its health.
const askerOf = "STRANGERS_HEALTH_OF"

// ask asks for the health of an API every 25 ms, prints each answer, and ends with its input.
// It is a process of its own: among the threads of a thousand strangers, an asker would measure
// how long it waits for its turn there.
func ask(addr string) {
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // the end is what counts
		close(done)
	}()
	tick := time.NewTicker(25 * time.Millisecond)
	for {
		status, took := health(addr)
		fmt.Println(status, took.Nanoseconds())
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}

// watched are the figures of a time under attack.
type watched struct {
	most   int             // MiB
	health []time.Duration // ascending
	failed int             // times that /health was not 200
}

// of is a quantile of the times of /health.
func (w *watched) of(q float64) time.Duration { return w.health[int(q*float64(len(w.health)-1))] }

// during watches the health and the memory of the API while fn goes on.
func (l *lab) during(fn func()) *watched {
	l.t.Helper()
	program, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.CommandContext(l.t.Context(), program)
	cmd.Env = append(os.Environ(), askerOf+"="+l.addr)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	w := &watched{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var status int
			var took time.Duration
			if _, err := fmt.Sscan(lines.Text(), &status, &took); err != nil {
				l.t.Errorf("the asker said %q: %v", lines.Text(), err)
			}
			w.health = append(w.health, took)
			if status != http.StatusOK {
				w.failed++
			}
			w.most = max(w.most, l.memory("VmRSS"))
		}
	})
	fn()
	_ = in.Close() // which ends it
	wg.Wait()
	if err := cmd.Wait(); err != nil || len(w.health) == 0 {
		l.t.Fatalf("the asker: %v after %d answers", err, len(w.health))
	}
	slices.Sort(w.health)
	return w
}
