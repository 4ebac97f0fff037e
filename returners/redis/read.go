package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// page is how many keys or fields are read at once.
const page = 500

// eachField visits the fields of a hash, each once. It reads them in pages, so that a large
// job does not block the server.
func (s *Store) eachField(ctx context.Context, doing, key string, visit func(field, value string) error) error {
	if err := s.open(); err != nil {
		return err
	}
	seen := map[string]struct{}{} // a scan may repeat fields
	for cursor := uint64(0); ; {
		pairs, next, err := s.db.HScan(ctx, key, cursor, "", page).Result()
		if err != nil {
			return s.fault(doing, err)
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if _, again := seen[pairs[i]]; again {
				continue
			}
			seen[pairs[i]] = struct{}{}
			if err := visit(pairs[i], pairs[i+1]); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// eachKey visits all keys that match a pattern, of all members of a cluster, each once.
func (s *Store) eachKey(ctx context.Context, doing, pattern string, visit func(key string)) error {
	if err := s.open(); err != nil {
		return err
	}
	var mu sync.Mutex
	seen := map[string]struct{}{}
	scan := func(ctx context.Context, c driver.Cmdable) error {
		for cursor := uint64(0); ; {
			keys, next, err := c.Scan(ctx, cursor, pattern, page).Result()
			if err != nil {
				return err
			}
			mu.Lock()
			for _, k := range keys {
				if _, again := seen[k]; !again {
					seen[k] = struct{}{}
					visit(k)
				}
			}
			mu.Unlock()
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	}
	if c, ok := s.db.(*driver.ClusterClient); ok {
		return s.fault(doing, c.ForEachMaster(ctx, func(ctx context.Context, m *driver.Client) error { return scan(ctx, m) }))
	}
	return s.fault(doing, scan(ctx, s.db))
}

// readLoad reads a stored load. ok is false if it is not one: a key such as load:test.ping
// belongs to a minion called load.
func readLoad(id, text string) (l returners.Load, ok bool, err error) {
	l.JID = id
	if l.Raw, err = wire.FromJSON([]byte(text)); err != nil {
		return l, false, fmt.Errorf("load of job %s: %w", id, err)
	}
	if !wire.IsMap(l.Raw) {
		return l, false, nil
	}
	user, err := wire.Field(l.Raw, "user")
	if err == nil && user != nil {
		l.User, _ = wire.Str(user)
	}
	l.At = jid.TimeOr(id, l.At)
	return l, true, nil
}

// GetLoad reads what was published for a job.
func (s *Store) GetLoad(ctx context.Context, jid string) (returners.Load, bool, error) {
	if err := s.open(); err != nil {
		return returners.Load{}, false, err
	}
	text, err := s.db.Get(ctx, loadKey(jid)).Result()
	if errors.Is(err, driver.Nil) {
		return returners.Load{}, false, nil
	}
	if err != nil {
		return returners.Load{}, false, s.fault("read the load of job "+jid, err)
	}
	return readLoad(jid, text)
}

// readReturn reads a stored return.
func readReturn(jid, id, text string) (returners.Return, error) {
	r := returners.Return{JID: jid, ID: id}
	var err error
	if r.Full, err = wire.FromJSON([]byte(text)); err != nil {
		return r, fmt.Errorf("return of %s to job %s: %w", id, jid, err)
	}
	judged := false
	err = wire.Fields(r.Full, func(key string, val wire.Raw) error {
		switch key { // absent or of another kind (a compound call): the zero value
		case "return":
			r.Value = val
		case "fun":
			r.Fun = strings.Join(texts(val), ",")
		case "success":
			judged, r.Success = true, allTrue(val)
		case "retcode":
			n, _ := wire.Int(val)
			r.Retcode = int(n)
		case "out":
			r.Out, _ = wire.Str(val)
		case "master_id":
			r.MasterID, _ = wire.Str(val)
		}
		return nil
	})
	if err != nil {
		return r, fmt.Errorf("return of %s to job %s: %w", id, jid, err)
	}
	if !judged {
		r.Success = r.Retcode == 0
	}
	return r, nil
}

// texts reads a text or a list of texts.
func texts(raw wire.Raw) (out []string) {
	if s, err := wire.Str(raw); err == nil {
		return []string{s}
	}
	_ = wire.Elems(raw, func(_ int, e wire.Raw) error {
		if s, err := wire.Str(e); err == nil {
			out = append(out, s)
		}
		return nil
	})
	return out
}

// allTrue reads the success of a return; a compound call has one for each function.
func allTrue(raw wire.Raw) bool {
	if !wire.IsMap(raw) {
		return wire.Truth(raw)
	}
	all := true
	_ = wire.Fields(raw, func(_ string, v wire.Raw) error {
		all = all && wire.Truth(v)
		return nil
	})
	return all
}

// GetReturns reads all returns of a job, ordered by minion id.
func (s *Store) GetReturns(ctx context.Context, jid string) ([]returners.Return, error) {
	var rets []returners.Return
	err := s.eachField(ctx, "read the returns of job "+jid, retKey(jid), func(id, text string) error {
		r, err := readReturn(jid, id, text)
		rets = append(rets, r)
		return err
	})
	if err != nil || len(rets) == 0 {
		return nil, err
	}
	known, err := s.readRecord(ctx, jid)
	if err != nil {
		return nil, err
	}
	for i := range rets {
		rets[i].At = known.returned[rets[i].ID]
	}
	slices.SortFunc(rets, func(a, b returners.Return) int { return cmp.Compare(a.ID, b.ID) })
	return rets, nil
}

// GetReturn reads the return of one minion; ok is false if it has not returned.
func (s *Store) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	found, err := s.returnsOf(ctx, "read the return of "+id+" to job "+jid, []pair{{id, jid}})
	if err != nil || len(found) == 0 {
		return returners.Return{}, false, err
	}
	return found[0], true, nil
}

// pair names a return.
type pair struct{ id, jid string }

// returnsOf reads returns and leaves out those that are not there.
func (s *Store) returnsOf(ctx context.Context, doing string, of []pair) ([]returners.Return, error) {
	stored, came := make([]*driver.StringCmd, len(of)), make([]*driver.StringCmd, len(of))
	err := s.pipe(ctx, doing, func(p driver.Pipeliner) {
		for i, r := range of {
			stored[i] = p.HGet(ctx, retKey(r.jid), r.id)
			came[i] = p.HGet(ctx, jobKey(r.jid), returnedMark+r.id)
		}
	})
	if err != nil {
		return nil, err
	}
	var out []returners.Return
	for i, r := range of {
		if stored[i].Err() != nil { // not there
			continue
		}
		ret, err := readReturn(r.jid, r.id, stored[i].Val())
		if err != nil {
			return nil, err
		}
		ret.At = micros(came[i].Val())
		out = append(out, ret)
	}
	return out, nil
}

// ListJobs lists jobs with a load, newest first. A jid is the time of its job, so a time
// range is a range of jids.
func (s *Store) ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error) {
	since, until := "", "\U0010FFFF"
	if !f.Since.IsZero() {
		since = jid.New(f.Since)
	}
	if !f.Until.IsZero() {
		until = jid.New(f.Until)
	}
	var jids []string
	err := s.eachKey(ctx, "list jobs", loadPrefix+"*", func(key string) {
		if id := strings.TrimPrefix(key, loadPrefix); id >= since && id < until {
			jids = append(jids, id)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(jids)
	slices.Reverse(jids)
	var loads []returners.Load
	for part := range slices.Chunk(jids, page) {
		read := make([]*driver.StringCmd, len(part))
		err := s.pipe(ctx, "list jobs", func(p driver.Pipeliner) {
			for i, id := range part {
				read[i] = p.Get(ctx, loadKey(id))
			}
		})
		if err != nil && !errors.Is(err, returners.ErrRejected) { // a key of another type is no load
			return nil, err
		}
		for i, id := range part {
			if read[i].Err() != nil { // expired meanwhile
				continue
			}
			l, ok, err := readLoad(id, read[i].Val())
			if err != nil {
				return nil, err
			}
			if ok && f.Match(l) {
				loads = append(loads, l)
			}
			if f.Limit > 0 && len(loads) >= f.Limit {
				return loads, nil
			}
		}
	}
	return loads, nil
}

// GetFun reads the last return of each minion for one function.
func (s *Store) GetFun(ctx context.Context, fun string) (map[string]returners.Return, error) {
	ids, err := s.Minions(ctx)
	if err != nil {
		return nil, err
	}
	last := map[string]returners.Return{}
	const doing = "read the last returns of a function"
	for part := range slices.Chunk(ids, page) {
		jids := make([]*driver.StringCmd, len(part))
		err := s.pipe(ctx, doing, func(p driver.Pipeliner) {
			for i, id := range part {
				if key := pointerKey(id, fun); key != "" {
					jids[i] = p.Get(ctx, key)
				}
			}
		})
		if err != nil && !errors.Is(err, returners.ErrRejected) { // a key of another type is no jid
			return nil, err
		}
		var of []pair
		for i, c := range jids {
			if c != nil && c.Err() == nil {
				of = append(of, pair{part[i], c.Val()})
			}
		}
		rets, err := s.returnsOf(ctx, doing, of)
		if err != nil {
			return nil, err
		}
		for _, r := range rets {
			last[r.ID] = r
		}
	}
	return last, nil
}

// Minions lists all minions with a return, sorted.
func (s *Store) Minions(ctx context.Context) ([]string, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	ids, err := s.db.SMembers(ctx, minionsKey).Result()
	slices.Sort(ids)
	return ids, s.fault("list minions", err)
}
