package master

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// written returns the bytes this process has written to files and connections.
func written(b *testing.B) (n int64) {
	b.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Fatalf("count written bytes: %v", err)
	}
	for line := range bytes.Lines(text) {
		if v, ok := bytes.CutPrefix(line, []byte("wchar: ")); ok {
			if n, err = strconv.ParseInt(string(bytes.TrimSpace(v)), 10, 64); err != nil {
				b.Fatal(err)
			}
		}
	}
	return n
}

// BenchmarkSlices publishes additional slices of one minion each for a job.
func BenchmarkSlices(b *testing.B) {
	for _, size := range []int{100, 10000} {
		b.Run(fmt.Sprintf("named=%d", size), func(b *testing.B) {
			r := newRig(b, ordersMasters)
			r.start()
			names := make([]any, size)
			for i := range names {
				names[i] = fmt.Sprintf("web%06d", i)
			}
			const jid = "20260102030405678901"
			publish := func(ids []any) {
				if reply := r.say(testJob(ids, "list", "jid", jid)); reply.Map("load").String("jid") != jid {
					b.Fatalf("%v", plain(b, reply))
				}
			}
			publish(names)
			n, before := size, written(b)
			for b.Loop() {
				publish([]any{fmt.Sprintf("web%06d", n)})
				n++
			}
			b.ReportMetric(float64(written(b)-before)/float64(b.N), "B-written/op")
			load, _, err := r.store.Local().GetLoad(b.Context(), jid)
			if err != nil {
				b.Fatal(err)
			}
			d, err := wire.DecodeMap(load.Raw)
			if err != nil || len(d.List("tgt")) != n {
				b.Errorf("%d minions are named, want %d; %v", len(d.List("tgt")), n, err)
			}
		})
	}
}
