package returns

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What benchmarks print becomes a table of medians with their targets; what was not
// measured has no line.
func TestTable(t *testing.T) {
	f := figures{}
	for _, v := range []string{"7000", "21000", "25000"} {
		f.read("goos: linux\nBenchmarkStockReturns/kept-2   \t 10\t  123 ns/op\t 44.5 cpu-us/return\t " + v + " returns/s\nPASS\n")
	}
	f.read("BenchmarkHalfLoad/each \t 10\t 123 ns/op\t 7.25 p99-ms\n")
	var out bytes.Buffer
	if err := table(&out, f); err != nil {
		t.Fatal(err)
	}
	var got []string
	for l := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(l), " "))
	}
	want := []string{
		"", "what median range target",
		"returns/s, connections kept 21000 7000 to 25000 >= 20000 reached",
		"processor time a return, kept, µs 44.5 44.5 to 44.5 <= 45 reached",
		"p99 under half load, a connection each, ms 7.25 7.25 to 7.25 <= 5 missed",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the table is\n%s", out.String())
	}
}
