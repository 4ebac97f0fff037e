package network

import (
	"testing"
	"testing/fstest"
)

func TestReadConntrack(t *testing.T) {
	const stat = "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error\n" +
		"00039713  00000000 00000000 00000000 00000004 00000000 00000000 00000000 00000000 00000000 00008410 00000002 00000000\n" +
		"00039713  00000000 00000000 00000000 0000000b 00000000 00000000 00000000 00000000 00000000 000094fe 00000009 00000000\n"
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	const count, most, stats = "sys/net/netfilter/nf_conntrack_count", "sys/net/netfilter/nf_conntrack_max", "net/stat/nf_conntrack"
	for _, c := range []struct {
		name  string
		proc  fstest.MapFS
		want  Conntrack
		ok    bool
		close bool
	}{
		{"nothing is tracked", fstest.MapFS{}, Conntrack{}, false, false},
		{"half full", fstest.MapFS{count: file("131072\n"), most: file("262144\n"), stats: file(stat)}, Conntrack{131072, 262144, 0x8410 + 0x94fe}, true, false},
		{"without statistics", fstest.MapFS{count: file("1\n"), most: file("262144\n")}, Conntrack{1, 262144, 0}, true, false},
		{"nine tenths", fstest.MapFS{count: file("235930\n"), most: file("262144\n")}, Conntrack{235930, 262144, 0}, true, true},
		{"one less", fstest.MapFS{count: file("235929\n"), most: file("262144\n")}, Conntrack{235929, 262144, 0}, true, false},
		{"no limit is known", fstest.MapFS{count: file("1\n")}, Conntrack{}, false, false},
		{"not a number", fstest.MapFS{count: file("many\n"), most: file("262144\n")}, Conntrack{}, false, false},
		{"other statistics", fstest.MapFS{count: file("1\n"), most: file("2\n"), stats: file("entries found\n1 2\n")}, Conntrack{1, 2, 0}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := readConntrack(c.proc)
			if got != c.want || ok != c.ok || got.NearlyFull() != c.close {
				t.Errorf("readConntrack %+v, %v, nearly full %v; want %+v, %v, %v", got, ok, got.NearlyFull(), c.want, c.ok, c.close)
			}
		})
	}
}
