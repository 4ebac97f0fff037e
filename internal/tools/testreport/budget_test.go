package main

import (
	"strings"
	"testing"
)

func TestTimes(t *testing.T) {
	y := newTally(&strings.Builder{})
	if err := y.read(strings.NewReader(`{"Action":"pass","Package":"github.com/momtree/mom/a","Test":"TestLong","Elapsed":25}
{"Action":"pass","Package":"github.com/momtree/mom/a","Test":"TestLong/part","Elapsed":25}
{"Action":"pass","Package":"github.com/momtree/mom/a","Test":"TestQuick","Elapsed":0.1}
{"Action":"pass","Package":"github.com/momtree/mom/a","Elapsed":25.5}
{"Action":"pass","Package":"github.com/momtree/mom/b","Test":"TestLonger","Elapsed":30}
{"Action":"pass","Package":"github.com/momtree/mom/b","Elapsed":30}
{"Action":"skip","Package":"github.com/momtree/mom/c"}`)); err != nil {
		t.Fatal(err)
	}
	budget, err := budgets("# path, seconds\nb 60 # starts daemons\n\n")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	y.times(&out, budget)
	want := `slow     github.com/momtree/mom/b TestLonger 30.0s
slow     github.com/momtree/mom/a TestLong 25.0s
budget   github.com/momtree/mom/a 25.5s, budget 20s
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestBudgets_Bad(t *testing.T) {
	for _, text := range []string{"a", "a b", "a 0", "a -1", "a 1 2"} {
		if _, err := budgets(text); err == nil || !strings.Contains(err.Error(), "budgets.txt:1") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := budgets(budgetFile); err != nil {
		t.Error(err)
	}
}
