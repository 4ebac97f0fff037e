package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// way is how an act is broken.
type way string

const (
	dropped way = "dropped"
	doubled way = "doubled"
	delayed way = "delayed"
)

var ways = []way{dropped, doubled, delayed}

// breakOne breaks one act of a kind; which of them, and how late what is delayed or
// done again comes, follows from the seed. did tells that there was one.
func breakOne(seed uint64, kind act, how way) (m meddler, did *bool) {
	r := rand.New(rand.NewPCG(seed, 0x7361626f))
	left := 1 + int(r.ExpFloat64()*3)
	late := int64(pick(r, 0.3, 20, 90) * float64(time.Second))
	did = new(bool)
	return func(n *node, a act, f func()) {
		if a == kind && !*did {
			left--
			if left == 0 {
				*did = true
				n.w.trace(n, "SABOTAGE: %s is %s", a, how)
				switch {
				case how == delayed && lies[a] && r.IntN(2) == 0: // said done before it is, and the machine dies
					n.after(0, func() { n.w.kill(n, int64(time.Second)) })
				case how == delayed:
					n.after(late, f)
				case how == doubled && r.IntN(2) == 0:
					f()
					f()
				case how == doubled:
					f()
					n.after(late, f)
				}
				return
			}
		}
		f()
	}, did
}

// lies are commits: late are those that a death can take back.
var lies = map[act]bool{storeJob: true, storeReturns: true, storeWords: true, clearOutbox: true, noteAsker: true}

// sabotaged draws the schedule in which something is broken. Most are calm, but for what
// is broken, so that nothing else comes to help.
func sabotaged(seed uint64) Options {
	o := RandomOptions(seed, 0)
	o.MaxEvents = 200_000 // a broken tree may never rest
	o.Faults = o.Faults.loud()
	for i := range o.Jobs {
		o.Jobs[i].Queue, o.Jobs[i].Slices = 0, 0 // further slices have told again what was not
	}
	calm := func(m Minions) {
		o.Faults, o.OutboxRows, o.Rehome, o.Gather, o.Minions = Faults{}, 0, 0, 10*time.Minute, m
	}
	switch seed % 5 {
	case 0: // all answer: jobs end at once
		calm(Minions{})
	case 1:
		o.Insist = true
	case 2: // some do not, or late
		calm(Minions{Dead: 0.1, Silent: 0.1, Untracked: 0.4, Slow: 0.2, SlowBy: 12 * time.Second})
		for i := range o.Jobs {
			o.Jobs[i].Run.Max = 20 * time.Second
		}
	case 3: // some go for good
		calm(Minions{})
		o.Faults.Loss = 1e-12 // so that it is known that something happens
	}
	return o
}

// leaveFor has a node that is no top and some minions go in the middle of the jobs for
// longer than anybody waits.
func leaveFor(w *World, seed uint64, d time.Duration) {
	r := rand.New(rand.NewPCG(seed, 0x676f6e65))
	last := w.jobs[len(w.jobs)-1]
	when := func() int64 { return int64(last.At) + r.Int64N(int64(3*time.Second)) }
	if n := w.nodes[r.IntN(len(w.nodes))]; len(n.ups) > 0 {
		w.after(when(), func() { w.kill(n, int64(d)) })
	}
	for range 3 {
		m := w.minion(r.IntN(len(w.ids)))
		w.after(when(), func() { m.drop(int64(d)) })
	}
}

// tryOne plays one schedule with one act broken.
func tryOne(t *testing.T, seed uint64, kind act, how way) (did bool, err error) {
	t.Helper()
	m, broke := breakOne(seed, kind, how)
	if seed%5 == 4 {
		err := playMoves(t, seed, sabotage{}, m)
		return *broke, err
	}
	o := sabotaged(seed)
	if kind == giveAgain { // to who was found away, and is back while the others are at work
		o.Insist, o.Minions, o.Rehome, o.Faults = false, Minions{}, 0, Faults{Drops: 8, For: Dist{Min: time.Second, Max: 12 * time.Second}}
		for i := range o.Jobs {
			o.Jobs[i].Run = Dist{Min: time.Millisecond, Max: 20 * time.Second}
		}
	}
	if kind == endAnew { // that is rare
		o.Faults.Sick, o.Bounds.WordQueue, o.Faults.For = 4, 1, Dist{Min: 5 * time.Second, Max: 20 * time.Second}
		o.Minions.Dead, o.Rehome, o.Faults.Moves = 0.3, 0, 0
	}
	o.meddle = m
	if *traced {
		o.Trace = func(line string) { t.Log(line) }
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	const gone = time.Hour
	if seed%5 == 3 {
		leaveFor(w, seed, gone)
	}
	if err = w.Run(t.Context()); err == nil {
		err = w.Check()
	}
	if err == nil && seed%5 == 3 {
		for _, j := range w.jobs {
			for _, r := range j.runs {
				if took := r.completed - r.published; took > gone/2 {
					err = fmt.Errorf("job %s at %s waits %s for who is gone", j.jid, r.top.id, took)
				}
			}
		}
	}
	return *broke, err
}

// TestSabotage leaves out, doubles and delays one act of each kind, as the seed says:
// the properties must notice within so many schedules, or all of them must hold, for
// the reason that the table tells.
func TestSabotage(t *testing.T) {
	borne := map[string]string{}
	for _, b := range bears {
		for _, how := range b.ways {
			borne[string(b.kind)+" "+string(how)] = b.why
		}
	}
	from := map[string]uint64{}
	for _, r := range rare {
		from[string(r.kind)+" "+string(r.how)] = r.from
	}
	for _, kind := range acts {
		for _, how := range ways {
			name := string(kind) + " " + string(how)
			t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
				why, holds := borne[name]
				noticed, did, total := "", 0, *broken
				if holds {
					total = max(total/12, 5)
				}
				begin := max(*first, from[name])
				for seed := begin; seed < begin+total && (holds || noticed == ""); seed++ {
					hit, err := tryOne(t, seed, kind, how)
					if hit {
						did++
					}
					if err != nil && !hit {
						t.Fatalf("seed %d: nothing was broken, and yet: %v", seed, err)
					}
					if err != nil {
						noticed = fmt.Sprintf("seed %d: %.300v", seed, err)
						if holds {
							t.Errorf("%s, and yet: %s", why, noticed)
							break
						}
					}
				}
				switch {
				case !holds && noticed == "":
					t.Errorf("%d schedules, in %d of which one was %s, did not notice", total, did, how)
				case !holds:
					t.Logf("noticed with %s", noticed)
				}
			})
		}
	}
}

// rare are those that few schedules notice, with the seed from which they are looked for:
// shortly before the first that does. Something else comes to help in all others.
var rare = []struct {
	kind act
	how  way
	from uint64
}{
	{tellOwn, doubled, 520},
	{tellOwn, delayed, 92},
	{tellOn, delayed, 57},
	{tellMissingOn, dropped, 1518},
	{tellMissingOn, delayed, 1518},
	{oweEarlier, delayed, 60},
	{minionLeft, dropped, 74},
	{minionLeft, delayed, 471},
	{nodeCame, dropped, 1111},
	{nodeCame, delayed, 1295},
	{nodeLeft, delayed, 206},
	{adoptJob, dropped, 394},
	{adoptJob, delayed, 280},
	{wakeSender, dropped, 77},
	{wakeSender, delayed, 627},
	{shiftOwners, dropped, 926},
	{shiftOwners, delayed, 926},
	{greetHost, dropped, 499},
	{greetHost, doubled, 219},
	{greetHost, delayed, 189},
}

// bears are the acts whose loss, repetition or delay breaks nothing, and why.
var bears = []struct {
	kind act
	ways []way
	why  string
}{
	{tellOn, []way{doubled}, "an account knows its minions by name: what it has heard changes nothing"},
	{tellMissingOn, []way{doubled}, "an account knows its minions by name: what it has heard changes nothing"},
	{tellClosed, []way{doubled, delayed}, "the end counts when all parents have come to it, once and whenever"},
	{publishJob, []way{doubled}, "minions and nodes know a jid that they have"},
	{skipJob, []way{doubled}, "who publishes has been answered"},
	{findJob, []way{doubled}, "a minion answers the same"},
	{countRescued, ways, "it only counts, and the simulation has no such net: what it catches would fail as it is"},
	{dropKept, []way{doubled, delayed}, "what is gone is gone; what is kept for longer is not given to who does not owe an answer"},
	{endAnew, []way{doubled, delayed}, "what is noted twice is noted once, and later is soon enough: the job is marked as open meanwhile"},
	{ackWords, ways, "a node that hears no acknowledgement tells again, and that changes nothing"},
	{storeReturns, []way{doubled}, "the store keeps the first of a jid and a minion"},
	{clearOutbox, []way{doubled}, "what was removed is not there"},
	{oweEarlier, []way{doubled}, "a parent that has a return takes it once more as a repeat"},
	{noteAsker, []way{doubled}, "who asked is known"},
	{minionCame, []way{doubled}, "who is there is there"},
	{minionLeft, []way{doubled}, "who is gone is gone"},
	{nodeCame, []way{doubled}, "who is there is there"},
	{nodeLeft, []way{doubled}, "who is gone is gone"},
	{giveAgain, []way{doubled}, "who is waited for is waited for"},
	{adoptJob, []way{doubled}, "who is waited for is waited for"},
	{foundJob, []way{doubled}, "the answer is the same"},
	{toldAll, []way{doubled, delayed}, "it is about one word, by number: a newer one is told again"},
	{wakeSender, []way{doubled}, "a sender that has nothing to send sends nothing"},
	{armGather, []way{doubled}, "a sender that has nothing to send sends nothing"},
	{shiftOwners, []way{doubled}, "rows are looked through once more"},
	{tellAnew, []way{doubled}, "what was told is told again"},
	{giveMinion, []way{doubled}, "a minion knows a jid that it has"},
	{giveNode, []way{doubled}, "a node knows a jid that it has"},
	{giveReturn, ways, "a minion sends until it is acknowledged, and the store keeps the first"},
	{ackReturn, ways, "a minion sends until it is acknowledged, and the store keeps the first"},
	{askReturns, ways, "a node sends until it is answered, and the store keeps the first"},
	{askWords, ways, "a node tells until it is answered; what comes twice has one nonce, what comes late is passed over by its number"},
	{askGreeting, ways, "a node announces itself until it is answered"},
	{answerParent, ways, "a node asks until it is answered"},
}
