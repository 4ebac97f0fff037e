package standalone

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// What an event tells of a job.
type kind int

const (
	isOther kind = iota
	isExpectation
	isNew
	isReturn
)

// parse reads the tag of a job's event.
func parse(tag string) (job, id string, k kind) {
	if jid.Valid(tag) {
		return tag, "", isExpectation
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	if !ok {
		return "", "", isOther
	}
	job, what, _ := strings.Cut(rest, "/")
	id, isRet := strings.CutPrefix(what, "ret/")
	switch {
	case !jid.Valid(job):
		return "", "", isOther
	case isRet && id != "":
		return job, id, isReturn
	case what == "new":
		return job, "", isNew
	}
	return "", "", isOther
}

// loadOf makes the load of a job from its `new` event, in the order in which Salt's
// masters keep it.
func loadOf(jid string, data wire.Raw) (wire.Raw, error) {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return nil, err
	}
	field := func(name string) any {
		v, _ := d.Get(name)
		return v
	}
	return wire.Encode(wire.NewMap("cmd", "publish", "tgt", field("tgt"), "fun", field("fun"), "arg", field("arg"),
		"tgt_type", field("tgt_type"), "ret", "", "jid", jid, "user", field("user"), "Minions", field("minions")))
}

// maxJobs bounds how many open jobs are remembered; the oldest are forgotten.
const maxJobs = 4096

// jobs are the open jobs of the master, as far as its events tell.
type jobs struct {
	whole bool // the master knows all who have to answer

	mu    sync.Mutex
	byJID map[string]*job
	order []string
}

type job struct {
	event   bus.Event // the expectation
	waiting map[string]struct{}
}

func newJobs(whole bool) *jobs { return &jobs{whole: whole, byJID: map[string]*job{}} }

// expect opens a job and gives its event as the masters above are told it: with
// our addition where this master's word is the whole truth.
func (js *jobs) expect(jid string, e bus.Event) (wire.Raw, error) {
	d, err := wire.DecodeMap(e.Data)
	if err != nil {
		return nil, fmt.Errorf("expectation: %w", err)
	}
	if js.whole && !d.Has("mom") {
		d.Set("jid", jid)
		d.Set("mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap(), "untracked", true))
		if e.Data, err = wire.Encode(d); err != nil {
			return nil, fmt.Errorf("expectation: %w", err)
		}
	}
	j := &job{event: bus.Event{Tag: jid, Data: e.Data, Stamp: e.Stamp}, waiting: map[string]struct{}{}}
	for _, id := range d.Strings("minions") {
		j.waiting[id] = struct{}{}
	}
	if len(j.waiting) == 0 {
		return e.Data, nil // told once, and complete
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	if _, known := js.byJID[jid]; !known {
		js.order = append(js.order, jid)
		for len(js.order) > maxJobs {
			delete(js.byJID, js.order[0])
			js.order = js.order[1:]
		}
	}
	js.byJID[jid] = j
	return e.Data, nil
}

// returned tells whether this was the last one a job waited for.
func (js *jobs) returned(jid, id string) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.byJID[jid]
	if j == nil {
		return false
	}
	delete(j.waiting, id)
	if len(j.waiting) > 0 {
		return false
	}
	delete(js.byJID, jid) // its place in the order goes when it is the oldest
	return true
}

// story tells who has to answer a job, in events of at most n minions each; all but
// the last say that there are others.
func (js *jobs) story(jid string, n int) iter.Seq[bus.Event] {
	return func(yield func(bus.Event) bool) {
		js.mu.Lock()
		j := js.byJID[jid]
		js.mu.Unlock()
		if j == nil {
			return
		}
		d, err := wire.DecodeMap(j.event.Data)
		ids := d.List("minions")
		if err != nil || len(ids) <= n {
			yield(j.event)
			return
		}
		for len(ids) > 0 {
			piece := ids[:min(n, len(ids))]
			ids = ids[len(piece):]
			out := d.Clone()
			out.Set("minions", piece)
			if ours := d.Map("mom"); ours != nil && len(ids) > 0 {
				ours = ours.Clone()
				ours.Set("partial", true)
				out.Set("mom", ours)
			}
			raw, err := wire.Encode(out)
			if err != nil || !yield(bus.Event{Tag: jid, Data: raw, Stamp: j.event.Stamp}) {
				return
			}
		}
	}
}

// jids lists the open jobs.
func (js *jobs) jids() []string {
	js.mu.Lock()
	defer js.mu.Unlock()
	return slices.Collect(maps.Keys(js.byJID))
}
