package redis

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
)

var _ returners.Leaser = (*Store)(nil)

// acquireScript takes a lease that is free or that ARGV[1] holds, for ARGV[2] milliseconds. It returns
// whether ARGV[1] holds it and the milliseconds that are left.
const acquireScript = `local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return {0, redis.call('PTTL', KEYS[1])} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, tonumber(ARGV[2])}`

// giveUpScript ends a lease that ARGV[1] holds.
const giveUpScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

// Lease implements [returners.Leaser] by a key whose value is the holder and which expires at the end of
// the lease.
func (s *Store) Lease(ctx context.Context, name, holder string, ttl time.Duration) (held bool, until time.Time, err error) {
	if err := s.open(); err != nil {
		return false, until, err
	}
	if ttl <= 0 {
		return false, until, s.fault("give up lease "+name, s.db.Eval(ctx, giveUpScript, []string{leaseKey(name)}, holder).Err())
	}
	got, err := s.db.Eval(ctx, acquireScript, []string{leaseKey(name)}, holder, max(1, ttl.Milliseconds())).Int64Slice()
	if err != nil {
		return false, until, s.fault("acquire lease "+name, err)
	}
	if len(got) != 2 {
		return false, until, fmt.Errorf("redis %s: acquire lease %s: reply of %d numbers, want 2", s.o.where(), name, len(got))
	}
	return got[0] == 1, s.o.Now().Add(time.Duration(got[1]) * time.Millisecond), nil
}
