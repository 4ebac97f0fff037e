package redis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func openCache(t *testing.T, values map[string]any) *Cache {
	t.Helper()
	c, err := OpenCache(returners.Options{Values: values})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, c.Close()) })
	return c
}

// A value is where Salt's driver looks for it, and all of it goes when the minion goes.
func TestCache_KeysOfSalt(t *testing.T) {
	srv := empty(t)
	for name, x := range map[string]struct {
		values map[string]any
		want   map[string][]string
	}{
		"default": {nil, map[string][]string{
			"$BANK_minions": {".", "web"}, "$BANK_minions/web": {"."}, "$BANKEYS_minions": {"web"}, "$BANKEYS_minions/web": {"data"},
		}},
		"own prefixes": {map[string]any{
			"cache.redis.bank_prefix": "#B", "cache.redis.bank_keys_prefix": "#BK", "cache.redis.key_prefix": "#K", "cache.redis.timestamp_prefix": "#T", "cache.redis.separator": "@",
		}, map[string][]string{"#B@minions": {".", "web"}, "#B@minions/web": {"."}, "#BK@minions": {"web"}, "#BK@minions/web": {"data"}}},
	} {
		t.Run(name, func(t *testing.T) {
			flush(t, srv)
			values := map[string]any{"cache.redis.unix_socket_path": srv.Socket, "redis.unix_socket_path": "/nowhere"}
			for k, v := range x.values {
				values[k] = v
			}
			c, r, ctx := openCache(t, values), raw(t, srv), t.Context()
			if b, err := c.Fetch(ctx, "minions/web", "data"); b != nil || err != nil {
				t.Errorf("nothing yet: %q, %v", b, err)
			}
			must(t, c.Store(ctx, "minions/web", "data", []byte("old"), time.Unix(1, 0)))
			must(t, c.Store(ctx, "minions/web", "data", []byte("value"), time.Unix(1_800_000_000, 5)))
			if b, err := c.Fetch(ctx, "minions/web", "data"); string(b) != "value" || err != nil {
				t.Errorf("%q, %v", b, err)
			}
			for key, want := range x.want {
				got, err := r.SMembers(ctx, key).Result()
				slices.Sort(got)
				if err != nil || !cmp.Equal(got, want) {
					t.Errorf("%s: %v, %v; want %v", key, got, err, want)
				}
			}
			prefix := "$TSTAMP_"
			if x.values != nil {
				prefix = "#T@"
			}
			stamp, err := r.Get(ctx, prefix+"{'minions/web'}/{'data'}").Bytes()
			if v, e := wire.Decode(stamp); err != nil || e != nil || v != int64(1_800_000_000) {
				t.Errorf("stored at %v, %v, %v", v, err, e)
			}
			must(t, c.Store(ctx, "minions/db", "data", []byte("another"), time.Now()))
			must(t, c.Flush(ctx, "minions/web"))
			left, err := r.Keys(ctx, "*").Result()
			if err != nil || strings.Contains(strings.Join(left, " "), "web") {
				t.Errorf("left: %v, %v", left, err)
			}
			if b, err := c.Fetch(ctx, "minions/db", "data"); string(b) != "another" || err != nil {
				t.Errorf("the other minion: %q, %v", b, err)
			}
		})
	}
}

// Errors of options and of the server name the address.
func TestCache_Faults(t *testing.T) {
	if _, err := OpenCache(returners.Options{Values: map[string]any{"cache.redis.port": "x"}}); err == nil || !strings.Contains(err.Error(), "redis.port") {
		t.Errorf("a port that is not a number: %v", err)
	}
	c := openCache(t, map[string]any{"cache.redis.unix_socket_path": t.TempDir() + "/none"})
	_, err := c.Fetch(t.Context(), "minions/web", "data")
	for what, err := range map[string]error{"fetch": err, "store": c.Store(t.Context(), "minions/web", "data", nil, time.Now()), "list": c.Flush(t.Context(), "minions/web")} {
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "/none") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if host := openCache(t, map[string]any{"redis.host": "jobs"}).s.o.Host; host != "localhost" {
		t.Errorf("the server of the cache is %s", host)
	}
}
