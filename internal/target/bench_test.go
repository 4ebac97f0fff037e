package target

import (
	"fmt"
	"testing"
)

func benchmark(b *testing.B, tgt, kind string, data any, want int) {
	subjects := make([]Subject, 100_000)
	for i := range subjects {
		subjects[i] = minion{fmt.Sprintf("web-%05d.dc%d.example.org", i, i%10), data}
	}
	e := must(b, tgt, kind)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, s := range subjects {
			if e.Match(s) {
				n++
			}
		}
		if n != want {
			b.Fatalf("%d match, want %d", n, want)
		}
	}
}

// One operation is 100,000 minions.
func BenchmarkGlob100k(b *testing.B)  { benchmark(b, "web-*.dc3.*", "glob", nil, 10_000) }
func BenchmarkClass100k(b *testing.B) { benchmark(b, "web-0000[0-9]*", "glob", nil, 10) }
func BenchmarkPCRE100k(b *testing.B)  { benchmark(b, `web-\d+\.dc3\.`, "pcre", nil, 10_000) }
func BenchmarkGrain100k(b *testing.B) {
	data, _ := saltSubject(b)
	benchmark(b, "os:Debian", "grain", data, 100_000)
}

func BenchmarkCompound100k(b *testing.B) {
	data, _ := saltSubject(b)
	benchmark(b, "web-* and G@os:Debian and not *.dc3.*", "compound", data, 90_000)
}
