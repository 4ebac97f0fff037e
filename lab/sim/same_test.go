package sim

import (
	"bytes"
	"fmt"
	"testing"
)

// The same seed gives the same output, to the last byte of the trace.
func TestSameSeedSameOutput(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		var outputs [3]bytes.Buffer
		for i := range outputs {
			o := RandomOptions(seed, 0)
			o.Trace = func(line string) { fmt.Fprintln(&outputs[i], line) }
			w, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.Report().Text(&outputs[i]); err != nil {
				t.Fatal(err)
			}
		}
		for i := range outputs {
			if !bytes.Equal(outputs[0].Bytes(), outputs[i].Bytes()) {
				t.Fatalf("seed %d: run %d differs from the first", seed, i)
			}
		}
		if seed > 1 && outputs[0].Len() == 0 {
			t.Fatalf("seed %d: no output", seed)
		}
	}
}
