package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	o := RandomOptions(*first)
	o.Insist = strings.Contains(os.Getenv("ZZ"), "i")
	if strings.Contains(os.Getenv("ZZ"), "f") {
		o.Shape, o.Faults = o.Shape.Flat(), Faults{}
	}
	o.Trace = func(s string) { fmt.Println(s) }
	w, _ := New(o)
	fmt.Println(w.Run(t.Context()))
	_ = w.Report().Text(os.Stdout)
	fmt.Println(w.Check())
}
