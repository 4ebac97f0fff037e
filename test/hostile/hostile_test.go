package hostile

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

var (
	seeds = flag.Uint64("seeds", 2000, "how many calls are tried")
	first = flag.Uint64("seed", 1, "the first of them")
	all   = flag.Bool("all", false, "go on after a call that got too far")
)

// seedsPerWorld is how many calls share a tree and its users.
const seedsPerWorld = 100

// What ran is a subset of what a flat Salt master would have allowed; who ran it is a subset of
// who was judged; and what is honest and allowed runs.
func TestHostileUser(t *testing.T) {
	var n tally
	for seed := *first; seed < *first+*seeds; {
		number := seed / seedsPerWorld
		t.Run(fmt.Sprintf("tree %d", number), func(t *testing.T) {
			w := newWorld(t, number)
			for ; seed < *first+*seeds && seed/seedsPerWorld == number; seed++ {
				a := w.attempt(w.draw(seed))
				n.count(a)
				if err := w.check(a); err != nil {
					t.Errorf("seed %d: %v\n%s\nplay it again: go test ./test/hostile -run TestHostileUser -args -seeds 1 -seed %d", seed, err, w.explain(a), seed)
					if !*all {
						seed = *first + *seeds
					}
				}
			}
		})
		if t.Failed() && !*all {
			return
		}
	}
	t.Log(n.String())
	n.enough(t)
}

// tally counts what the calls came to: a property about nothing holds.
type tally struct{ calls, honest, ran, hostileRan, executions int }

func (n *tally) count(a *act) {
	n.calls++
	ran := len(a.ran)+len(a.master) > 0
	n.executions += len(a.ran) + len(a.master)
	switch {
	case a.call.honest:
		n.honest++
	case ran:
		n.hostileRan++
	}
	if ran {
		n.ran++
	}
}

func (n *tally) String() string {
	return fmt.Sprintf("%d calls, %d of them honest; %d ran, %d of these disguised; %d executions", n.calls, n.honest, n.ran, n.hostileRan, n.executions)
}

// enough fails where hardly anything runs.
func (n *tally) enough(t *testing.T) {
	t.Helper()
	if n.calls >= 500 && (n.ran*5 < n.calls || n.hostileRan*20 < n.calls) {
		t.Errorf("too little runs for the property to say much: %s", n)
	}
}

// explain shows a call for whoever has to find out.
func (w *world) explain(a *act) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  user %s, rules %s", a.call.by.name, jsonOf(a.call.by.salt()))
	if w.start {
		b.WriteString(" (acl_match: start)")
	}
	fmt.Fprintf(&b, "\n  through %s: %s\n  answer: %.400s\n  judged: %v", a.call.entrance, a.call.sent, a.answer, a.judged)
	for _, e := range append(a.ran, a.master...) {
		fmt.Fprintf(&b, "\n  ran: %s", e)
	}
	return b.String()
}
