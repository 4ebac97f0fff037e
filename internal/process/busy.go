package process

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// work is an activity in progress.
type work struct {
	what  string
	since time.Time
}

var (
	workMu sync.Mutex
	held   = map[*work]bool{}
)

// BeginWork records the activity what until end is called. It is safe for concurrent use.
func BeginWork(what string) (end func()) {
	w := &work{what, time.Now()}
	workMu.Lock()
	held[w] = true
	workMu.Unlock()
	return func() {
		workMu.Lock()
		delete(held, w)
		workMu.Unlock()
	}
}

// maxNamed bounds the result of CurrentWork.
const maxNamed = 10

// CurrentWork returns the recorded activities, oldest first, and then the functions of this
// program that run unrecorded.
func CurrentWork() []string {
	workMu.Lock()
	all := make([]work, 0, len(held))
	for w := range held {
		all = append(all, *w)
	}
	workMu.Unlock()
	slices.SortFunc(all, func(a, b work) int { return a.since.Compare(b.since) })
	out := make([]string, 0, len(all))
	for _, w := range all[:min(len(all), maxNamed)] {
		out = append(out, fmt.Sprintf("%s (%v)", w.what, time.Since(w.since).Round(time.Second)))
	}
	stacks := make([]byte, 1<<20)
	for _, f := range running(string(stacks[:runtime.Stack(stacks, true)])) {
		if len(out) < maxNamed && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// running returns the functions of this program that goroutines are executing: the innermost of
// each goroutine. stacks is the output of [runtime.Stack].
func running(stacks string) []string {
	const program = "github.com/momtree/mom/"
	var out []string
	for g := range strings.SplitSeq(stacks, "\n\n") {
		head, frames, _ := strings.Cut(g, "\n")
		if !strings.Contains(head, "[running") && !strings.Contains(head, "[runnable") {
			continue
		}
		for line := range strings.SplitSeq(frames, "\n") {
			if name, ok := strings.CutPrefix(line, program); ok {
				if !strings.HasPrefix(name, "internal/process.") {
					name, _, _ = strings.Cut(name, "(0x")
					name = strings.TrimSuffix(name, "(...)")
					out = append(out, strings.TrimSuffix(name, "()"))
					break
				}
				break
			}
		}
	}
	return out
}
