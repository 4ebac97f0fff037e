package sim

import (
	"errors"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// A job that grows is published in slices under one jid. Publisher and nodes see each slice but
// the first as a job of its own. Minions and Check see the whole job.

// cut makes the loads of a job and of its slices.
func (j *job) cut() error {
	all := []*job{j}
	for k := 1; k < j.Slices; k++ {
		s := *j
		s.whole, s.slice = j, k
		all = append(all, &s)
	}
	if j.Slices > 1 {
		j.slices = all
	}
	for _, s := range all {
		kwargs := wire.NewMap()
		if s.slice > 0 {
			kwargs.Set(returners.PartField, s.slice)
		}
		var err error
		s.load, err = wire.Encode(wire.NewMap("cmd", "publish", "tgt", "*", "fun", j.Fun, "arg", []any{}, "tgt_type", "glob", "jid", j.jid, "user", "root", "kwargs", kwargs))
		if err != nil {
			return err
		}
	}
	return nil
}

// root returns the whole job of a slice.
func (j *job) root() *job {
	if j.whole != nil {
		return j.whole
	}
	return j
}

// parts returns the slices of a job, or the job itself if it does not grow.
func (j *job) parts() []*job {
	if all := j.root().slices; all != nil {
		return all
	}
	return []*job{j}
}

// aimed reports whether the target of the whole job matches a minion.
func (j *job) aimed(m int) bool {
	return !j.invented && (j.Part >= 1 || share(uint64(m), j.salt) < j.Part)
}

// meant reports whether a minion has to run the job. For a batch, whether its slice has begun.
func (j *job) meant(m int) bool {
	if j.Batch.Size > 0 {
		_, begun := j.root().assigned[m]
		return begun
	}
	return j.aimed(m)
}

// wants reports whether the target of the slice matches a minion.
func (j *job) wants(m int) bool {
	if j.Batch.Size > 0 {
		slice, begun := j.root().assigned[m]
		return begun && slice == j.slice
	}
	n := len(j.root().slices)
	return j.meant(m) && (n < 2 || int(mix(uint64(m), j.salt+77)%uint64(n)) == j.slice)
}

// inSlices reports whether the job has, or may get, several publications.
func (j *job) inSlices() bool { return len(j.parts()) > 1 || j.Batch.Size > 0 }

// here lists the slices of a job that a node has published.
func (n *node) here(j *job) (out []*job) {
	for _, s := range j.parts() {
		if slices.Contains(n.pubs, s) {
			out = append(out, s)
		}
	}
	return out
}

// grows reports whether a slice extends a job that the node has, and returns the load to store for
// the job.
func (n *node) grows(j *job) (load wire.Raw, grows bool) {
	load = j.load
	for _, s := range n.here(j) {
		if s == j {
			return j.load, false
		}
		grows = true
		if s.slice > j.slice {
			load = s.load
		}
	}
	return load, grows
}

// afterTheEnd publishes a slice once the end of the job that it extends is stored. It returns false
// if err does not say that the end is being stored.
func (n *node) afterTheEnd(j *job, err error, done func(taken bool)) bool {
	var end engine.EndingError
	if !errors.As(err, &end) {
		n.must(err)
		return false
	}
	n.w.reach(markGrownAtItsEnd)
	n.engine.WhenStored(end.UpTo, func(err error) {
		if err != nil {
			done(false)
			return
		}
		n.publish(j, done)
	})
	n.storeSoon()
	return true
}

// publishNext publishes the next slice of a job, Every after the last one was accepted.
func (w *World) publishNext(j *job, r *run) {
	all := j.parts()
	if j.slice+1 < len(all) {
		w.after(int64(max(j.Every, time.Millisecond)), func() { w.publish(all[j.slice+1], r) })
	}
}

// unclaimed lists the minions of other nodes that a slice names, at a top.
func (n *node) unclaimed(j *job) (ids []string) {
	if !j.inSlices() || len(n.ups) > 0 {
		return nil
	}
	for g, id := range n.w.ids {
		if j.wants(g) && (g < n.lo || g >= n.lo+len(n.minions)) {
			ids = append(ids, id)
		}
	}
	return ids
}
