package swarm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Answers says how jobs are answered.
type Answers struct {
	// Delay is how long a job takes.
	Delay Delay
	// Size makes each result but that of saltutil.find_job a text of so many bytes;
	// 0: what the function gives.
	Size int
}

func (a Answers) validate() error {
	if a.Size < 0 || a.Size > 64<<20 {
		return fmt.Errorf("results of %d bytes: use 0 to 64 MiB", a.Size)
	}
	return a.Delay.validate()
}

// Delay is a random time: evenly between Least and Most, and with Mean above 0 an
// exponential one of that mean on top of Least, at most ten times the mean.
type Delay struct{ Least, Most, Mean time.Duration }

// ParseDelay reads 200ms, 50ms..2s or exp:300ms.
func ParseDelay(text string) (Delay, error) {
	var d Delay
	var err error
	if mean, ok := strings.CutPrefix(text, "exp:"); ok {
		d.Mean, err = time.ParseDuration(mean)
	} else {
		least, most, ranged := strings.Cut(text, "..")
		if d.Least, err = time.ParseDuration(least); err == nil {
			d.Most = d.Least
			if ranged {
				d.Most, err = time.ParseDuration(most)
			}
		}
	}
	if err == nil {
		err = d.validate()
	}
	if err != nil {
		return Delay{}, fmt.Errorf("delay %q: use 200ms, 50ms..2s or exp:300ms: %w", text, err)
	}
	return d, nil
}

func (d Delay) validate() error {
	if d.Least < 0 || d.Most < d.Least || d.Mean < 0 {
		return errors.New("times are not negative, and the second is not the shorter")
	}
	return nil
}

func (d Delay) draw() time.Duration {
	t := d.Least
	if d.Most > d.Least {
		t += rand.N(d.Most - d.Least + 1)
	}
	if d.Mean > 0 {
		t += time.Duration(math.Min(rand.ExpFloat64(), 10) * float64(d.Mean))
	}
	return t
}

// result is what a function gave.
type result struct {
	value   any
	retcode int
	out     string
	takes   time.Duration // beside the delay
}

func (r result) success() bool { return r.retcode == 0 }

// world is what results are made of.
type world struct {
	id, version string
	grains      func() *wire.Map
	running     []*order
	pid         int
}

// answer gives the result of a job. Nothing is run.
func (a Answers) answer(o *order, w world) result {
	if o.fun == findJobFun {
		return result{value: findJob(o, w)}
	}
	r, known := canned(o, w)
	switch {
	case a.Size > 0:
		r.value, r.retcode, r.out = strings.Repeat("x", a.Size), 0, ""
	case !known:
		r = result{value: "'" + o.fun + "' is not available.", retcode: 1, out: "nested"}
	}
	return r
}

// canned are the functions that have a true answer without doing anything.
func canned(o *order, w world) (result, bool) {
	switch o.fun {
	case "test.ping", "test.true", "saltutil.refresh_pillar", "saltutil.refresh_grains", "saltutil.refresh_modules", "mine.update":
		return result{value: true}, true
	case "test.false":
		return result{value: false}, true
	case "test.version":
		return result{value: w.version}, true
	case "test.echo":
		if len(o.args) > 0 {
			return result{value: o.args[0]}, true
		}
	case "test.sleep":
		if len(o.args) > 0 {
			n := wire.NewMap("s", o.args[0]).Float("s")
			return result{value: true, takes: time.Duration(min(max(n, 0), 86400) * float64(time.Second))}, true
		}
	case "grains.items":
		return result{value: w.grains()}, true
	case "grains.get", "grains.item":
		if len(o.args) > 0 {
			return grain(o, w)
		}
	case "saltutil.running":
		return result{value: running(o, w)}, true
	case "saltutil.is_running":
		return result{value: []any{}}, true
	}
	return result{}, false
}

func grain(o *order, w world) (result, bool) {
	name, _ := o.args[0].(string)
	v, has := w.grains().Get(name)
	switch {
	case o.fun == "grains.item" && has:
		return result{value: wire.NewMap(name, v)}, true
	case o.fun == "grains.item":
		return result{value: wire.NewMap()}, true
	case has:
		return result{value: v}, true
	}
	return result{value: ""}, true
}

// findJob is what salt-minion says of a job: the publication with the process that
// runs it, or an empty map (Salt wire reference §10.2).
func findJob(o *order, w world) any {
	if len(o.args) == 0 {
		return wire.NewMap()
	}
	jid := fmt.Sprint(o.args[0])
	for _, r := range w.running {
		if r.jid == jid && r != o {
			return proc(r, w)
		}
	}
	return wire.NewMap()
}

// running leaves out the job that asks, as salt-minion does.
func running(o *order, w world) []any {
	all := []any{}
	for _, r := range w.running {
		if r != o {
			all = append(all, proc(r, w))
		}
	}
	return all
}

// proc is the file that salt-minion keeps of a running job.
func proc(o *order, w world) any {
	m, err := wire.DecodeMap(o.full)
	if err != nil {
		return wire.NewMap()
	}
	m.Set("pid", w.pid)
	return m
}
