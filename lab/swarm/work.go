package swarm

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// subject is a minion as seen by a target.
type subject struct{ *minion }

func (s subject) ID() string  { return s.id }
func (s subject) Grains() any { return s.grains() }
func (s subject) Pillar() any { return wire.NewMap() }

var _ target.Subject = subject{}

// topicOf returns a minion's own topic under zmq_filtering (Salt wire reference §2.4).
func topicOf(id string) string {
	sum := sha1.Sum([]byte(id))
	return hex.EncodeToString(sum[:])
}

// take starts the job of a publication if it is for this minion and new.
func (m *minion) take(ctx context.Context, o *order, at time.Time) {
	if !m.newer(o) || !o.tgt.Match(subject{m}) || ctx.Err() != nil {
		return
	}
	if !m.remember(o) {
		o.job.passedOver()
		return
	}
	o.job.took1(m.i, at, m.role == mute || m.role == dying)
	switch m.role {
	case mute:
		return
	case dying:
		m.swarm.kill(m, m.swarm.cfg.DieFor)
		return
	}
	m.begin(ctx, o, at)
}

// newer implements the replay rule of publications.
func (m *minion) newer(o *order) bool {
	if !o.hasSerial {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if o.serial <= m.serial {
		return false
	}
	m.serial = o.serial
	return true
}

// remember records a job and reports whether it was new.
func (m *minion) remember(o *order) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(m.recent, o.hash) {
		return false
	}
	if len(m.recent) >= jidQueue {
		m.recent = append(m.recent[:0], m.recent[1:]...)
	}
	m.recent = append(m.recent, o.hash)
	m.runs = append(m.runs, o)
	return true
}

// begin answers after the run time of the job.
func (m *minion) begin(ctx context.Context, o *order, at time.Time) {
	m.swarm.work.Go(func() {
		load, pause, err := m.result(ctx, o)
		if err != nil { // a result that cannot be encoded is a bug
			m.swarm.trouble("result cannot be packed", "minion", m.id, "err", err)
			o.job.done(m.i, at, time.Now(), false)
			return
		}
		if pause > 0 && wait(ctx, pause) != nil {
			m.cutShort(o)
			return
		}
		m.give(ctx, o, load, at)
	})
}

// result returns the load of a return, and the run time of the job.
func (m *minion) result(ctx context.Context, o *order) (load *wire.Map, pause time.Duration, err error) {
	a := m.swarm.cfg.Answers
	m.mu.Lock()
	w := world{id: m.id, version: m.swarm.cfg.Version, grains: m.grains, running: slices.Clone(m.runs), pid: os.Getpid()}
	m.mu.Unlock()
	r, fetched := m.fetches(ctx, o)
	if !fetched {
		r = a.answer(o, w)
	}
	if pause = r.takes; o.fun != findJobFun {
		pause += a.Delay.draw()
	}
	deep(func() { load, err = returnLoad(m.id, o, r) })
	return load, pause, err
}

// give sends the result with salt-minion's retries.
func (m *minion) give(ctx context.Context, o *order, load *wire.Map, at time.Time) {
	var err error
	if m.our != nil {
		err = m.our.deliver(ctx, o, load)
	} else {
		t := m.swarm.cfg.Timers
		p := patience{timeout: t.ReturnRetry + rand.N(t.ReturnRetryMax-t.ReturnRetry+1), tries: t.ReturnTries, again: o.job.retry}
		_, err = m.request(ctx, load, p)
	}
	m.given(ctx, o, at, err)
}

// given records the outcome of a return.
func (m *minion) given(ctx context.Context, o *order, at time.Time, err error) {
	m.mu.Lock()
	if i := slices.Index(m.runs, o); i >= 0 {
		m.runs = slices.Delete(m.runs, i, i+1)
	}
	m.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		m.cutShort(o)
		return
	}
	o.job.done(m.i, at, time.Now(), err == nil)
	if err != nil {
		m.swarm.trouble("return given up", "minion", m.id, "jid", o.jid, "err", err)
	}
}

// cutShort records that the minion ended before its return was acknowledged. At the end of the
// whole swarm such a return counts as pending.
func (m *minion) cutShort(o *order) {
	if m.swarm.ctx.Err() == nil {
		o.job.fell()
	}
}

// returnLoad returns the load that salt-minion sends (Salt wire reference §9.1).
func returnLoad(id string, o *order, r result) (*wire.Map, error) {
	load := wire.NewMap("cmd", "_return", "id", id, "success", r.success(), "return", r.value, "retcode", r.retcode)
	if r.out != "" {
		load.Set("out", r.out)
	}
	load.Set("jid", o.jid)
	load.Set("fun", o.fun)
	load.Set("fun_args", o.rawArgs)
	if o.user != "" {
		load.Set("user", o.user)
	}
	if o.masterID != "" {
		load.Set("master_id", o.masterID)
	}
	if len(o.metadata) > 0 {
		load.Set("metadata", o.metadata)
	}
	_, err := wire.Encode(load)
	return load, err
}
