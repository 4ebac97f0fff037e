package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/settings"
)

// Cache is Salt's redis driver of the option cache, with the keys of Salt 3006 and 3007:
//
//	$KEY_<bank>/<key>               a value
//	$TSTAMP_{'<bank>'}/{'<key>'}    when it was stored, in Unix seconds
//	$BANKEYS_<bank>                 set of its keys and of the banks in it
//	$BANK_<bank>                    set of the banks in it, and "."
//
// Salt 3008 has other keys.
type Cache struct {
	s *Store

	keyPrefix, timePrefix, keysPrefix, bankPrefix, separator string
}

var _ returners.Cache = (*Cache)(nil)

// OpenCache reads the options, those of the returner behind "cache.", and cache.redis.key_prefix and its
// siblings. It does not connect.
func OpenCache(ro returners.Options) (*Cache, error) {
	values := map[string]any{}
	for name, v := range ro.Values {
		if rest, ok := strings.CutPrefix(name, "cache."); ok {
			values[rest] = v
		}
	}
	if _, set := values["redis.host"]; !set {
		values["redis.host"] = "localhost"
	}
	o, err := OptionsFrom(values, "")
	o.Log, o.Now, o.Timeout = ro.Log, ro.Now, time.Second
	r := settings.New(values, "")
	c := &Cache{
		keyPrefix: r.Text("redis.key_prefix", "$KEY"), timePrefix: r.Text("redis.timestamp_prefix", "$TSTAMP"),
		keysPrefix: r.Text("redis.bank_keys_prefix", "$BANKEYS"), bankPrefix: r.Text("redis.bank_prefix", "$BANK"), separator: r.Text("redis.separator", "_"),
	}
	if err = errors.Join(err, r.Err()); err == nil {
		c.s, err = Open(context.Background(), o)
	}
	if err != nil {
		return nil, fmt.Errorf("cache redis (each option with the prefix cache.): %w", err)
	}
	return c, nil
}

func (c *Cache) key(bank, key string) string { return c.keyPrefix + c.separator + bank + "/" + key }
func (c *Cache) keys(bank string) string     { return c.keysPrefix + c.separator + bank }
func (c *Cache) banks(bank string) string    { return c.bankPrefix + c.separator + bank }

// stamp is the key of a time. Salt formats two sets of Python here.
func (c *Cache) stamp(bank, key string) string {
	return fmt.Sprintf("%s%s{'%s'}/{'%s'}", c.timePrefix, c.separator, bank, key)
}

// Fetch implements [returners.Cache].
func (c *Cache) Fetch(ctx context.Context, bank, key string) ([]byte, error) {
	if err := c.s.open(); err != nil {
		return nil, err
	}
	b, err := c.s.db.Get(ctx, c.key(bank, key)).Bytes()
	if errors.Is(err, driver.Nil) {
		return nil, nil
	}
	return b, c.s.fault("fetch "+key+" of "+bank, err)
}

// Store implements [returners.Cache].
func (c *Cache) Store(ctx context.Context, bank, key string, value []byte, at time.Time) error {
	stamp, err := wire.Encode(at.Unix())
	if err != nil {
		return err
	}
	return c.s.pipe(ctx, "store "+key+" in "+bank, func(p driver.Pipeliner) {
		parts := strings.Split(bank, "/")
		for i, part := range parts {
			p.SAdd(ctx, c.banks(strings.Join(parts[:i+1], "/")), ".")
			if i > 0 {
				above := strings.Join(parts[:i], "/")
				p.SAdd(ctx, c.banks(above), part)
				p.SAdd(ctx, c.keys(above), part)
			}
		}
		p.Set(ctx, c.key(bank, key), value, 0)
		p.SAdd(ctx, c.keys(bank), key)
		p.Set(ctx, c.stamp(bank, key), stamp, 0)
	})
}

// Flush implements [returners.Cache].
func (c *Cache) Flush(ctx context.Context, bank string) error {
	if err := c.s.open(); err != nil {
		return err
	}
	members, err := c.s.db.SMembersMap(ctx, c.keys(bank)).Result()
	if err != nil {
		return c.s.fault("list "+bank, err)
	}
	return c.s.pipe(ctx, "flush "+bank, func(p driver.Pipeliner) {
		for _, key := range slices.Sorted(maps.Keys(members)) {
			p.Del(ctx, c.key(bank, key))
			p.Del(ctx, c.stamp(bank, key))
		}
		p.Del(ctx, c.keys(bank))
		p.Del(ctx, c.banks(bank))
		if i := strings.LastIndexByte(bank, '/'); i >= 0 {
			p.SRem(ctx, c.banks(bank[:i]), bank[i+1:])
			p.SRem(ctx, c.keys(bank[:i]), bank[i+1:])
		}
	})
}

// Close implements [returners.Cache].
func (c *Cache) Close() error { return c.s.Close() }
