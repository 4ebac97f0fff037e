package memory

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// job holds all records of one jid. Times are microseconds, as in the database.
type job struct {
	jid      string
	at, last int64
	user     string
	load     wire.Raw
	hasLoad  bool
	rows     []row
	byID     map[string]int32
	exps     map[string]*expected
}

// row is one return, kept small since there may be millions.
type row struct {
	id            string
	full          wire.Raw
	value         *wire.Raw // nil if it is a part of full
	at            int64
	valAt, valLen int32
	retcode       int32
	fun, out      uint32
	masterID, via uint32
	success       bool
}

// job returns the entry of a jid. It creates a missing one, with the time in the jid.
func (s *Store) job(id string, at time.Time) *job {
	j := s.jobs[id]
	if j == nil {
		j = &job{jid: id, at: jid.TimeOr(id, at).UnixMicro(), last: s.age(at).UnixMicro(), byID: map[string]int32{}, exps: map[string]*expected{}}
		s.jobs[id] = j
	}
	return j
}

func (j *job) seen(at time.Time) { j.last = max(j.last, at.UnixMicro()) }

// putLoad stores the first load of a job; a load with Own replaces one without.
func (s *Store) putLoad(l *returners.Load, now time.Time) bool {
	at := cmp.Or(l.At, now)
	old := s.jobs[l.JID]
	if old != nil && old.hasLoad && (!l.Own || bytes.Equal(l.Raw, old.load)) {
		return false
	}
	j := s.job(l.JID, at)
	j.at, j.user, j.load, j.hasLoad = jid.TimeOr(l.JID, at).UnixMicro(), l.User, slices.Clone(l.Raw), true
	j.seen(s.age(at))
	return true
}

func (j *job) loadRow() returners.Load {
	return returners.Load{JID: j.jid, Raw: j.load, User: j.user, At: time.UnixMicro(j.at).UTC()}
}

func (s *Store) putReturn(r *returners.Return, now time.Time) bool {
	at := cmp.Or(r.At, now)
	j := s.job(r.JID, at)
	if _, known := j.byID[r.ID]; known {
		return false
	}
	w := row{
		id: r.ID, full: r.Full, at: at.UnixMicro(), valAt: -1, valLen: int32(len(r.Value)),
		retcode: int32(r.Retcode),
		fun:     s.texts.put(r.Fun), out: s.texts.put(r.Out), masterID: s.texts.put(r.MasterID), via: s.texts.put(r.Via),
		success: r.Success,
	}
	if len(r.Value) > 0 {
		if w.valAt = int32(bytes.Index(r.Full, r.Value)); w.valAt < 0 {
			v := slices.Clone(r.Value)
			w.value = &v
		}
	}
	j.byID[r.ID] = int32(len(j.rows))
	j.rows = append(j.rows, w)
	j.seen(s.age(at))
	return true
}

func (s *Store) returnRow(j *job, w *row) returners.Return {
	r := returners.Return{
		JID: j.jid, ID: w.id, Fun: s.texts.get(w.fun), Success: w.success, Retcode: int(w.retcode), Out: s.texts.get(w.out),
		Full: w.full, MasterID: s.texts.get(w.masterID), Via: s.texts.get(w.via), At: time.UnixMicro(w.at).UTC(),
	}
	switch {
	case w.value != nil:
		r.Value = *w.value
	case w.valAt >= 0:
		r.Value = w.full[w.valAt : w.valAt+w.valLen : w.valAt+w.valLen]
	}
	return r
}

// sorted returns the rows of a job by minion id.
func (j *job) sorted() []*row {
	out := make([]*row, len(j.rows))
	for i := range j.rows {
		out[i] = &j.rows[i]
	}
	slices.SortFunc(out, func(a, b *row) int { return strings.Compare(a.id, b.id) })
	return out
}
