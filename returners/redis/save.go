package redis

import (
	"context"
	"fmt"
	"slices"
	"time"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// batchRows and batchBytes bound one pipeline.
const (
	batchRows  = 500
	batchBytes = 8 << 20
)

// loadScript stores the load ARGV[1], for ARGV[2] seconds (0: for ever), unless there is one.
// With ARGV[3] = 1, that of an extended job, the longer of the two stays.
const loadScript = `local old = redis.call('GET', KEYS[1])
if old and (ARGV[3] == '0' or #old >= #ARGV[1]) then return 0 end
if ARGV[2] == '0' then redis.call('SET', KEYS[1], ARGV[1]) else redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
return 1`

// pointerScript stores the jid ARGV[1] for ARGV[2] seconds, unless there is a later one. As in
// Salt, a value of another type is replaced.
const pointerScript = `local old = redis.pcall('GET', KEYS[1])
if type(old) == 'string' and old > ARGV[1] then return 0 end
if ARGV[2] == '0' then redis.call('SET', KEYS[1], ARGV[1]) else redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
return 1`

// ages are the newest times of the jobs in a batch.
type ages map[string]time.Time

func (a ages) seen(jid string, at time.Time) {
	if old, ok := a[jid]; !ok || at.After(old) {
		a[jid] = at
	}
}

// put adds the commands that store the ages.
func (a ages) put(ctx context.Context, p driver.Pipeliner) {
	members := make([]driver.Z, 0, len(a))
	for jid, at := range a {
		members = append(members, driver.Z{Score: score(at), Member: jid})
	}
	if len(members) > 0 {
		p.ZAddGT(ctx, jobsKey, members...)
	}
}

// SaveLoads stores loads. As in Salt, the first load of a job stays, until the job is
// extended.
func (s *Store) SaveLoads(ctx context.Context, loads []returners.Load) error {
	for part := range slices.Chunk(loads, batchRows) {
		texts := make([]string, len(part))
		for i := range part {
			var err error
			if texts[i], err = toJSON(part[i].Raw, "{}"); err != nil {
				return s.refuse("load of job "+part[i].JID, err)
			}
		}
		err := s.pipe(ctx, "store loads", func(p driver.Pipeliner) {
			age := ages{}
			for i := range part {
				l := &part[i]
				extends := 0
				if l.Part() > 0 {
					extends = 1
				}
				p.Eval(ctx, loadScript, []string{loadKey(l.JID)}, texts[i], seconds(s.o.Keep), extends)
				age.seen(l.JID, s.at(l.At))
			}
			age.put(ctx, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SaveReturns stores returns. The first one of a (jid, id) stays.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	for len(rets) > 0 {
		var texts []string
		n, size := 0, 0
		for n < len(rets) && n < batchRows && size < batchBytes {
			text, err := toJSON(rets[n].Full, "{}")
			if err != nil {
				return s.refuse(fmt.Sprintf("return of %s to job %s", rets[n].ID, rets[n].JID), err)
			}
			texts, size, n = append(texts, text), size+len(text), n+1
		}
		err := s.pipe(ctx, "store returns", func(p driver.Pipeliner) { s.putReturns(ctx, p, rets[:n], texts) })
		if err != nil {
			return err
		}
		rets = rets[n:]
	}
	return nil
}

// putReturns adds the commands that store returns.
func (s *Store) putReturns(ctx context.Context, p driver.Pipeliner, rets []returners.Return, texts []string) {
	age, last := ages{}, map[string]string{} // last: key of a pointer → jid
	ids := make([]any, 0, len(rets))
	for i := range rets {
		r := &rets[i]
		at := s.at(r.At)
		//mutant:redis-first-return-stays
		p.HSetNX(ctx, retKey(r.JID), r.ID, texts[i])
		p.HSetNX(ctx, jobKey(r.JID), returnedMark+r.ID, at.UnixMicro())
		age.seen(r.JID, at)
		if key := pointerKey(r.ID, r.Fun); key != "" {
			last[key] = max(last[key], r.JID)
		}
		ids = append(ids, r.ID)
	}
	for jid := range age { // a job stays as a whole, as long as its last return
		s.expire(ctx, p, retKey(jid), jobKey(jid), loadKey(jid))
	}
	for key, jid := range last {
		p.Eval(ctx, pointerScript, []string{key}, jid, seconds(s.o.Keep))
	}
	p.SAdd(ctx, minionsKey, ids...)
	age.put(ctx, p)
}

// SaveEvents returns returners.ErrNoEvents: Salt's returner keeps none either.
func (s *Store) SaveEvents(_ context.Context, events []returners.Event) error {
	if len(events) == 0 {
		return nil
	}
	return fmt.Errorf("redis %s: store %d events: %w", s.o.where(), len(events), returners.ErrNoEvents)
}

func toJSON(raw wire.Raw, empty string) (string, error) {
	if len(raw) == 0 {
		return empty, nil
	}
	b, err := wire.ToJSON(raw)
	return string(b), err
}
