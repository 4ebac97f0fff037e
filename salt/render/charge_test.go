package render

import (
	"context"
	"hash/crc32"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/salt/jinja"
)

// Filters, tests and functions count the work they do and the memory they allocate. These
// are the allowed excesses: counting is approximate, and small things are not counted.
const (
	freeBytes = 4 << 20
	freeTime  = 25 * time.Millisecond
	window    = 40 * time.Millisecond / slower // with the race detector one call has to do
	overBytes = 20
	overTime  = 30
	heapMost  = 512 << 20 // what is collected before the next operation
)

// outside are the operations that wait for files, names or servers.
const outside = " dns_check http_query list_files file_hashsum is_text_file is_bin_file is_empty which get_uid "

// largeInputs are the inputs that each operation is tried with.
func largeInputs() map[string]any {
	many := make([]any, 20000)
	texts := make([]any, 20000)
	pairs := make([]any, 20000)
	d := jinja.NewDict()
	for i := range many {
		many[i] = int64(i % 1000)
		texts[i] = strings.Repeat("x", i%17)
		pairs[i] = jinja.Tuple{texts[i], many[i]}
		d.Set(int64(i), texts[i])
	}
	wide := any(int64(1))
	for range 15 {
		wide = jinja.NewList(wide, wide)
	}
	return map[string]any{
		"text": strings.Repeat("ab c-d,e\n", 40000), "unicode": strings.Repeat("é<b>", 60000), "digits": strings.Repeat("9", 400000),
		"list": jinja.NewList(many...), "texts": jinja.NewList(texts...), "long texts": jinja.NewList(strings.Repeat("a", 400000), strings.Repeat("b", 400000)), "pairs": jinja.NewList(pairs...), "dict": d, "wide": wide,
	}
}

// TestEverythingIsCharged calls everything that templates can call with large inputs. A new
// filter that does not count its work fails here. `make slow` tries every input.
func TestEverythingIsCharged(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	inputs := largeInputs()
	// Garbage of one operation must not count for the next.
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(2<<30)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	for name := range e.file.Filters {
		if !strings.Contains(outside, " "+name+" ") {
			charged(t, e, "filter "+name, inputs, func(r *jinja.Run, v any, a *jinja.Args) { use(r, r.Apply(name, v, a)) })
		}
	}
	for name, f := range e.file.Tests {
		charged(t, e, "test "+name, inputs, func(r *jinja.Run, v any, a *jinja.Args) { f(r, v, a) })
	}
	for name, v := range e.file.Globals {
		f, ok := v.(*jinja.Func)
		if ok && name != "show_full_context" && name != "ifelse" { // these need variables
			charged(t, e, "global "+name, inputs, func(r *jinja.Run, v any, a *jinja.Args) {
				use(r, f.Call(r, jinja.NewArgs(append([]any{v}, a.Pos...)...)))
			})
		}
	}
	for name := range pure {
		module, _, _ := strings.Cut(name, ".")
		if f := pure[name]; slices.Contains([]string{"slsutil", "defaults", "jinja", "test"}, module) {
			j := &job{ctx: t.Context(), engine: e}
			charged(t, e, "function "+name, inputs, func(r *jinja.Run, v any, a *jinja.Args) {
				use(r, f(j, r, jinja.NewArgs(append([]any{v}, a.Pos...)...)))
			})
		}
	}
	for _, name := range jinja.Methods() {
		charged(t, e, "method "+name, inputs, func(r *jinja.Run, v any, a *jinja.Args) {
			if m, ok := r.GetAttr(v, name); ok {
				r.Call(m, a)
			}
		})
	}
	for _, op := range []string{"+", "*", "%", "-", "**", "//"} {
		charged(t, e, "operator "+op, inputs, func(r *jinja.Run, v any, a *jinja.Args) {
			if len(a.Pos) == 1 {
				r.Binary(op, v, a.Pos[0])
			}
		})
	}
}

// spent returns the processor time of this process. On a busy machine the clock also
// measures other processes.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// use consumes lazy values.
func use(r *jinja.Run, v any) {
	if it, ok := v.(*jinja.Iter); ok {
		r.Iterate(it)
	}
}

func charged(t *testing.T, e *Engine, what string, inputs map[string]any, do func(r *jinja.Run, v any, a *jinja.Args)) {
	t.Helper()
	for kind, v := range inputs {
		for label, args := range map[string][]any{"none": nil, "itself": {v}, "two texts": {"a", "bb"}} {
			if crc32.ChecksumIEEE([]byte(what+kind+label))%chargedShare != 0 {
				continue
			}
			if shared := kind == "list" || kind == "texts" || kind == "pairs" || kind == "dict"; shared && strings.HasPrefix(what, "method") {
				v = e.meter(context.Background(), Template{}, 0).DeepCopy(v) // methods change their object
			}
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
			r := e.file.Detached(ctx, what)
			var before, after runtime.MemStats
			if runtime.ReadMemStats(&before); before.HeapAlloc > heapMost {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			begun := spent()
			fault := caught(func() { do(r, v, jinja.NewArgs(args...)) })
			runtime.ReadMemStats(&after)
			_, bytes := r.Used()
			// Repeat what is fast but not free.
			for n := 0; n < 50 && fault == nil && spent()-begun < window; n++ {
				fault = caught(func() { do(r, v, jinja.NewArgs(args...)) })
			}
			took := spent() - begun
			cancel()
			work, _ := r.Used()
			if real := int(after.TotalAlloc - before.TotalAlloc); real > slower*(freeBytes+overBytes*bytes) {
				t.Errorf("%s of %s with %s: allocated %d KiB, of which it counted %d", what, kind, label, real>>10, bytes>>10)
			}
			if took > slower*(freeTime+overTime*time.Duration(work)) {
				t.Errorf("%s of %s with %s: took %v, of which it counted %v", what, kind, label, took, time.Duration(work))
			}
		}
	}
}
