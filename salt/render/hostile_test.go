package render_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// The allowed excesses of hostile templates: the delay after the deadline, and a fifth of
// memory above the limit.
const (
	hostileDeadline = render.HostileDeadline
	hostileLateness = 500 * time.Millisecond
	hostileMemory   = 64 << 20
	hostilePeak     = hostileMemory + hostileMemory/5
)

// heap samples the size of the heap. GOGC=10 makes the collector run early, so that the
// samples are mostly live memory.
type heap struct {
	peak atomic.Uint64
	stop chan struct{}
	done chan struct{}
}

func watchHeap(t testing.TB) *heap {
	t.Helper()
	h := &heap{stop: make(chan struct{}), done: make(chan struct{})}
	old := debug.SetGCPercent(10)
	go func() {
		defer close(h.done)
		tick := time.NewTicker(500 * time.Microsecond)
		defer tick.Stop()
		for {
			h.look()
			select {
			case <-tick.C:
			case <-h.stop:
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(h.stop)
		<-h.done
		debug.SetGCPercent(old)
	})
	return h
}

func (h *heap) look() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	n := s[0].Value.Uint64()
	for old := h.peak.Load(); n > old && !h.peak.CompareAndSwap(old, n); old = h.peak.Load() {
	}
	return n
}

// attempt is the outcome of one template.
type attempt struct {
	took time.Duration
	peak int64 // above the heap before
	err  error
}

func (a attempt) wrong() string {
	var out []string
	if late := a.took - hostileDeadline; late > hostileLateness*render.Slower {
		out = append(out, fmt.Sprintf("late by %v", late.Round(time.Millisecond)))
	}
	if a.peak > hostilePeak {
		out = append(out, fmt.Sprintf("held %d MiB", a.peak>>20))
	}
	return strings.Join(out, ", ")
}

// try renders a template within the limits.
func (h *heap) try(ctx context.Context, e *render.Engine, t render.Template) attempt {
	runtime.GC()
	before := h.look()
	h.peak.Store(before)
	ctx, cancel := context.WithTimeout(ctx, hostileDeadline)
	defer cancel()
	begun, used := time.Now(), render.Spent()
	_, err := e.SLS(ctx, t, "")
	// On a busy machine the clock also measures other processes: use the processor time if
	// it is less.
	a := attempt{took: min(time.Since(begun), render.Spent()-used), err: err}
	h.look()
	a.peak = int64(h.peak.Load()) - int64(before)
	return a
}

func hostileEngine(t testing.TB) *render.Engine {
	t.Helper()
	return engine(t, render.Options{
		Limits: render.Limits{Memory: hostileMemory}, Functions: hostileFunctions{},
		Loader: files{
			"macros.jinja": "{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}{% macro rec(n) %}{% if n > 0 %}{{ rec(n-1) }}{{ rec(n-1) }}{% endif %}{% endmacro %}{% set list = [1,2,3] %}",
			"self.jinja":   "{% include 'self.jinja' %}{% include 'self.jinja' %}",
			"data.yaml":    "a: &a [1,2,3]\nb: [*a,*a]\n",
			"text.txt":     strings.Repeat("text\n", 100),
		},
	})
}

type hostileFunctions struct{}

func (hostileFunctions) Call(_ context.Context, name string, args []any, _ *value.Map) (any, error) {
	if name != "test.args" {
		return nil, render.ErrNoFunction
	}
	return args, nil
}

func TestReviewedTemplatesEnd(t *testing.T) {
	h, e := watchHeap(t), hostileEngine(t)
	for _, name := range slices.Sorted(maps.Keys(reviewed)) {
		for _, doubled := range []string{"22", "60"} {
			source := strings.ReplaceAll(reviewed[name], "RANGE", doubled)
			a := h.try(t.Context(), e, render.Template{Source: []byte(source), SLS: "hostile", Path: "hostile.sls", Vars: value.NewMap()})
			t.Logf("%-22s %2s: %6.3fs %4d MiB: %.100v", name, doubled, a.took.Seconds(), a.peak>>20, a.err)
			if wrong := a.wrong(); wrong != "" {
				t.Errorf("%s (%s): %s", name, doubled, wrong)
			}
			if !strings.Contains(reviewed[name], "RANGE") {
				break
			}
		}
	}
}

// notHostile access files, names or servers.
var notHostile = map[string]bool{
	"dns_check": true, "http_query": true, "list_files": true, "file_hashsum": true, "is_text_file": true, "is_bin_file": true, "is_empty": true, "which": true, "get_uid": true,
}

var (
	allFilters, hostileTests, _ = render.Known()
	hostileFilters              = slices.DeleteFunc(slices.Clone(allFilters), func(s string) bool { return notHostile[s] })
	pureNames                   = render.Pure()
)

var (
	hostileSeeds = flag.Int("hostile.seeds", render.HostileTemplates, "how many templates TestHostileTemplates renders")
	hostileFrom  = flag.Uint64("hostile.from", 0, "the first seed")
)

// TestHostileTemplates: no template of the grammar exceeds its time or memory.
func TestHostileTemplates(t *testing.T) {
	h, e := watchHeap(t), hostileEngine(t)
	var worst, total time.Duration
	var most int64
	late, full, fine := 0, 0, 0
	for seed := *hostileFrom; seed < *hostileFrom+uint64(*hostileSeeds); seed++ {
		source := generated(seed)
		a := h.try(t.Context(), e, render.Template{
			Source: []byte(source), SLS: "hostile", Path: "hostile.sls",
			Vars: value.NewMap("grains", value.NewMap("id", "web1", "os_family", "Debian"), "pillar", value.NewMap("a", []any{int64(1), "b"})),
		})
		worst, most = max(worst, a.took-hostileDeadline), max(most, a.peak)
		total += a.took
		switch {
		case a.err == nil:
			fine++
		case errors.Is(a.err, context.DeadlineExceeded):
			late++
		case strings.Contains(a.err.Error(), "of memory"):
			full++
		}
		if wrong := a.wrong(); wrong != "" {
			t.Errorf("seed %d: %s: %.200v\n%s", seed, wrong, a.err, source)
		}
	}
	t.Logf("%d templates in %v: %d rendered, %d met the deadline, %d the memory; worst lateness %v, most memory %d MiB of %d",
		*hostileSeeds, total.Round(time.Second), fine, late, full, max(worst, 0).Round(time.Millisecond), most>>20, hostileMemory>>20)
}
