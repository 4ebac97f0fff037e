package intake

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// No id exceeds its limit within 24 hours, and the full limit is available again after 26 idle
// hours.
func TestDay(t *testing.T) {
	const limit = 100 << 10
	r := rand.New(rand.NewPCG(1, 2))
	d := NewDailyQuota(limit)
	start := time.Unix(1_790_000_000, 0)
	type brought struct {
		at time.Time
		n  int
	}
	var all []brought
	now := start
	refused := 0
	for now.Before(start.Add(20 * 24 * time.Hour)) {
		now = now.Add(time.Duration(r.Int64N(int64(time.Hour))))
		n := r.IntN(8 << 10)
		if !d.Take("m", n, now) {
			refused++
			continue
		}
		all = append(all, brought{now, n})
		sum := 0
		for i := len(all) - 1; i >= 0 && now.Sub(all[i].at) <= 24*time.Hour; i-- {
			sum += all[i].n
		}
		if sum > limit {
			t.Fatalf("%d bytes within a day, at most %d", sum, limit)
		}
	}
	if refused == 0 || len(all) < 200 {
		t.Errorf("%d refused, %d taken", refused, len(all))
	}
	if !d.Take("m", limit-Overhead, now.Add(26*time.Hour)) {
		t.Error("after 26 idle hours there is no room for a day's bytes")
	}
	t.Logf("%d taken, %d refused in 20 days", len(all), refused)
}

func TestDay_Give(t *testing.T) {
	d, now := NewDailyQuota(10*Overhead), time.Unix(1_790_000_000, 0)
	for range 1000 {
		if !d.Take("m", 5*Overhead, now) {
			t.Fatal("released bytes are counted")
		}
		d.Refund("m", 5*Overhead)
	}
	if !d.Take("m", 8*Overhead, now) || d.Take("m", 8*Overhead, now) || d.Take("m", 8*Overhead, now.Add(-48*time.Hour)) {
		t.Error("the bound does not hold")
	}
	if !d.Take("n", 8*Overhead, now) {
		t.Error("one id pays for another")
	}
	if !NewDailyQuota(0).Take("m", 1<<40, now) {
		t.Error("0 is a bound")
	}
}

// Idle ids are removed.
func TestDay_Forgets(t *testing.T) {
	d, now := NewDailyQuota(1<<20), time.Unix(1_790_000_000, 0)
	for i := range 10_000 {
		d.Take(fmt.Sprint(i), 1, now)
	}
	d.Take("m", 1, now.Add(30*time.Hour))
	if len(d.ids) != 1 {
		t.Errorf("%d ids are kept", len(d.ids))
	}
}

func BenchmarkDay(b *testing.B) {
	d, now := NewDailyQuota(1<<40), time.Unix(1_790_000_000, 0)
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = fmt.Sprint("minion-", i)
	}
	b.ReportAllocs()
	for i := range b.N {
		d.Take(ids[i%len(ids)], 1000, now)
	}
}
