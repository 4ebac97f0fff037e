package master

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
)

// republishFor is how long after a start jobs that an earlier life stored and
// did not publish are published to whoever subscribes: peers that do not announce
// themselves can be reached in no other way.
const republishFor = 30 * time.Second

func (m *Master) openRetention() (err error) {
	m.diary, err = retention.OpenDiary(retention.DiaryOptions{Path: filepath.Join(m.cfg.Cachedir, "diary"), Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	if err := retention.TakeOver(m.ctx, filepath.Join(m.cfg.Cachedir, "publications"), m.store.Local(), m.store.Save); err != nil {
		return err
	}
	m.kept, err = retention.Open(m.ctx, retention.Options{
		Keep: m.cfg.PublishRetention, MaxBytes: m.cfg.PublishRetentionMaxBytes, Log: m.log, Now: m.now, Age: m.ages.Now, Steady: m.ages.Steady,
		Found: m.jobs.Keeps, Dropped: m.jobs.Unkeep,
	}, m.store.Embedded())
	m.late = retention.NewLatecomers(retention.LatecomersOptions{
		For: republishFor, Publish: m.publishAgain, Log: m.log, Now: m.now,
		Open: func(jid string) bool { a, ok := m.jobs.State(jid); return ok && a.Open() },
	})
	return err
}

// retain gives what of a job's publication is stored with the job. nil: nothing is, or
// it is already.
func (m *Master) retain(j *job, p wire.Publication) ([]byte, error) {
	if !m.kept.Keeps() && j.until.IsZero() {
		return nil, nil
	}
	plain, err := p.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode publication %s: %w", j.jid, err)
	}
	r := retention.Record{JID: j.jid, At: m.ages.Now(), Until: j.until, Pub: plain}
	if m.cfg.ZmqFiltering {
		r.Topics = j.topics(m.cfg.OrderMasters)
	}
	stored, err := m.kept.Put(r)
	if errors.Is(err, retention.ErrFull) {
		return nil, server.Refusal{Name: "SaltClientError", Message: "The job cannot be queued: " + err.Error()}
	}
	return stored, err
}

// number puts the number of a kept publication into it. It is called in the
// order in which publications go out.
func (m *Master) number(p *wire.Publication) {
	seq, ok := m.kept.Number(p.JID)
	if !ok {
		return
	}
	extra := wire.NewMap()
	if p.Extra != nil {
		extra = p.Extra.Clone()
	}
	extra.Set(channel.SeqField, []any{m.kept.Epoch(), seq})
	p.Extra = extra
}

// over forgets the publication of a job that is over for all but queued minions.
func (m *Master) over(jid string) {
	if !m.kept.Pending(jid) {
		m.kept.Drop(jid)
	}
}

// listener is a peer that tells how far it has heard publications.
type listener struct {
	id      string
	epoch   string
	seq     int64
	running map[string]bool
}

// missed lists what a peer has to be given: what it did not hear, does not work
// on, and owes the answer of.
func (m *Master) missed(l listener, give func(seq int64, r retention.Record) bool) {
	m.kept.Since(l.epoch, l.seq, func(seq int64, r retention.Record) bool {
		if l.running[r.JID] || !m.jobs.Owes(r.JID, l.id) && !m.kept.Wants(r.JID, l.id) {
			return true
		}
		return give(seq, r)
	})
}

// sealedPublication is the envelope of a kept publication under one shared key.
type sealedPublication struct {
	key  *crypt.Crypticle
	body []byte
}

// resealed gives a kept publication as it would be published now, but without a
// serial: those count what goes out to all.
func (m *Master) resealed(r retention.Record) ([]byte, error) {
	key := m.keys.Shared.Current()
	v, err := m.kept.Cached(r.JID,
		func(v any) bool { return v.(sealedPublication).key == key },
		func() (any, error) {
			cipher, err := key.Seal("", r.Pub)
			if err != nil {
				return nil, fmt.Errorf("encrypt publication %s: %w", r.JID, err)
			}
			body, err := m.keys.Envelope(cipher)
			return sealedPublication{key, body}, err
		})
	if err != nil {
		return nil, err
	}
	return v.(sealedPublication).body, nil
}

// publishAgain publishes what an earlier life of this master left unpublished.
func (m *Master) publishAgain(r retention.Record) error {
	p, err := wire.ParsePublication(r.Pub)
	if err != nil {
		return fmt.Errorf("read publication %s: %w", r.JID, err)
	}
	if err := m.emit(p, r.Topics); err != nil {
		return fmt.Errorf("publish job %s again: %w", r.JID, err)
	}
	return nil
}

// sweepRetention drops what is too old and ends queued jobs at their deadline.
func (m *Master) sweepRetention() {
	m.kept.Sweep()
	for _, w := range m.kept.Due() {
		m.unqueue(w, ledger.Expired)
	}
}

// restorePublications keeps of an earlier life what is still wanted: the
// publications of open jobs, and queued ones.
func (m *Master) restorePublications() {
	var late []retention.Record
	m.kept.Since("", 0, func(_ int64, r retention.Record) bool {
		a, ok := m.jobs.State(r.JID)
		switch {
		case ok && a.Open():
			if !r.Published {
				late = append(late, r)
			}
		case r.Until.IsZero() || !m.kept.Pending(r.JID):
			m.kept.Drop(r.JID)
		}
		return true
	})
	m.late.Start(late)
}
