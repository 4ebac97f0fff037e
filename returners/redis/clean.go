package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	driver "github.com/redis/go-redis/v9"
)

// expired is the TTL that the driver reports for a key that is not there, and endless that of
// a key that does not expire.
const (
	expired = -2 * time.Nanosecond
	endless = -1 * time.Nanosecond
)

// Clean removes jobs whose load, expectations, returns and holds are all older than before, at
// most limit rows. Jobs that Salt's own returner wrote expire by themselves.
func (s *Store) Clean(ctx context.Context, before time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, fmt.Errorf("redis %s: clean: limit is %d, must be above 0", s.o.where(), limit)
	}
	jids, err := s.oldJobs(ctx, before, 0, limit)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, id := range jids {
		if total >= limit {
			break
		}
		n, err := s.cleanJob(ctx, id, limit-total)
		if total += n; err != nil {
			return total, err
		}
	}
	return total, nil
}

// oldJobs reads a page of the jobs that are older than before, oldest first.
func (s *Store) oldJobs(ctx context.Context, before time.Time, from, limit int) ([]string, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	jids, err := s.db.ZRangeByScore(ctx, jobsKey, &driver.ZRangeBy{
		Min: "-inf", Max: "(" + strconv.FormatInt(before.UnixMicro(), 10), Offset: int64(from), Count: int64(limit),
	}).Result()
	return jids, s.fault("look for old jobs", err)
}

// cleanJob removes up to limit rows of a job: returns first, the load last.
func (s *Store) cleanJob(ctx context.Context, id string, limit int) (int, error) {
	fields, err := s.someFields(ctx, id, limit)
	if err != nil {
		return 0, err
	}
	doing := "clean job " + id
	total := 0
	if len(fields) > 0 {
		n, err := s.db.HDel(ctx, retKey(id), fields...).Result()
		if err != nil {
			return 0, s.fault(doing, err)
		}
		if total = int(n); total >= limit {
			return total, nil
		}
	}
	var gone []*driver.IntCmd
	err = s.pipe(ctx, doing, func(p driver.Pipeliner) {
		gone = append(gone, p.Unlink(ctx, jobKey(id)), p.Unlink(ctx, loadKey(id)))
		p.ZRem(ctx, jobsKey, id)
	})
	if err != nil {
		return total, err
	}
	for _, c := range gone {
		total += int(c.Val())
	}
	return min(max(total, 1), limit), nil // the entry in mom/jobs counts if nothing else is left
}

// someFields reads up to limit minions of a job's returns.
func (s *Store) someFields(ctx context.Context, id string, limit int) ([]string, error) {
	var fields []string
	for cursor := uint64(0); ; {
		pairs, next, err := s.db.HScan(ctx, retKey(id), cursor, "", int64(limit)).Result()
		if err != nil {
			return nil, s.fault("clean job "+id, err)
		}
		for i := 0; i < len(pairs) && len(fields) < limit; i += 2 {
			if !slices.Contains(fields, pairs[i]) {
				fields = append(fields, pairs[i])
			}
		}
		if cursor = next; cursor == 0 || len(fields) >= limit {
			return fields, nil
		}
	}
}

// CleanOlder removes the entries in mom/jobs of jobs whose keys have expired: their age is
// that of the server's clock, and every write and every hold renews it. A key that never
// expires, as one of a time without keep_jobs_seconds, gets keep to live.
func (s *Store) CleanOlder(ctx context.Context, keep time.Duration, limit int) (int, error) {
	if limit <= 0 {
		return 0, fmt.Errorf("redis %s: clean: limit is %d, must be above 0", s.o.where(), limit)
	}
	if err := s.open(); err != nil {
		return 0, err
	}
	now, err := s.db.Time(ctx).Result()
	if err != nil {
		return 0, s.fault("read the server's clock", err)
	}
	for kept := 0; ; {
		jids, err := s.oldJobs(ctx, now.Add(-keep), kept, page)
		if err != nil || len(jids) == 0 {
			return 0, err
		}
		gone, err := s.expiredJobs(ctx, jids[:min(len(jids), limit)], keep)
		if err != nil {
			return 0, err
		}
		if len(gone) > 0 {
			n, err := s.db.ZRem(ctx, jobsKey, gone...).Result()
			return int(n), s.fault("clean jobs", err)
		}
		kept += min(len(jids), limit)
	}
}

// expiredJobs returns the jobs of which no key is left.
func (s *Store) expiredJobs(ctx context.Context, jids []string, keep time.Duration) ([]any, error) {
	left := make([][3]*driver.DurationCmd, len(jids))
	err := s.pipe(ctx, "look for old jobs", func(p driver.Pipeliner) {
		for i, id := range jids {
			left[i] = [3]*driver.DurationCmd{p.TTL(ctx, loadKey(id)), p.TTL(ctx, retKey(id)), p.TTL(ctx, jobKey(id))}
		}
	})
	if err != nil {
		return nil, err
	}
	var gone []any
	err = s.pipe(ctx, "let old jobs expire", func(p driver.Pipeliner) {
		for i, id := range jids {
			is := false
			for k, key := range []string{loadKey(id), retKey(id), jobKey(id)} {
				ttl := left[i][k].Val()
				is = is || ttl != expired
				if ttl == endless {
					p.Expire(ctx, key, time.Duration(seconds(keep))*time.Second)
				}
			}
			if !is {
				gone = append(gone, id)
			}
		}
	})
	return gone, err
}

// Hold resets the age of jobs and the life of their keys.
func (s *Store) Hold(ctx context.Context, jids []string) error {
	for part := range slices.Chunk(jids, batchRows) {
		err := s.pipe(ctx, "hold jobs", func(p driver.Pipeliner) {
			members := make([]driver.Z, len(part))
			for i, id := range part {
				members[i] = driver.Z{Score: score(s.o.Now()), Member: id}
				s.expire(ctx, p, loadKey(id), retKey(id), jobKey(id))
			}
			p.ZAddArgs(ctx, jobsKey, driver.ZAddArgs{XX: true, GT: true, Members: members})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
