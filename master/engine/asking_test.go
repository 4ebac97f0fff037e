package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// 1,000 stock minions run a job for eight minutes on a machine that handles six answers to
// find_job a second. No minion that answers becomes missing, however late its answer. The number
// of open questions follows the answers, and a minion is asked at doubling intervals. Two minions
// never answer: they become missing within two minutes of their question.
func TestFindJobOnASlowMachine(t *testing.T) { synctest.Test(t, testSlowAnswers) }

func testSlowAnswers(t *testing.T) {
	const n, perSecond, lasts = 1_000, 6, 8 * time.Minute
	began := time.Now()
	questions := make(chan string, n)
	asked := map[string]int{}
	named := map[string]time.Duration{}
	var completed []Account
	var most, mostLater int // open questions, and after a minute
	l := newLedger(AccountConfig{Hooks: Hooks{
		FindJob: func(_ string, ids []string) {
			for _, id := range ids {
				asked[id]++
				questions <- id
			}
			under := len(questions)
			if most = max(most, under); time.Since(began) > time.Minute {
				mostLater = max(mostLater, under)
			}
		},
		Missing: func(_ string, gone map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
			for id := range gone {
				named[id] = time.Since(began)
			}
		},
		Complete: func(a Account) { completed = append(completed, a) },
	}})
	defer l.close()
	ms := minions(n)
	mute := map[string]bool{ms[17].ID: true, ms[n-1].ID: true}
	for i := range ms {
		ms[i].Live = Untracked
	}
	if err := l.openJob(Job{JID: "j", Minions: ms}); err != nil {
		t.Fatal(err)
	}
	for time.Since(began) < lasts {
		time.Sleep(time.Second / perSecond)
		synctest.Wait()
		select {
		case id := <-questions:
			if !mute[id] {
				l.found("j", id, true)
			}
		default:
		}
	}
	for _, m := range ms {
		if !mute[m.ID] {
			l.returned("j", m.ID, "", true)
		}
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	if most > 2*firstTurn || mostLater > 2*leastTurn {
		t.Errorf("asked at a time are up to %d, and up to %d when it is known how slow it is", most, mostLater)
	}
	often := 0
	for _, times := range asked {
		often = max(often, times)
	}
	if often < 2 || often > 6 { // after 5, 10, 20, 40, 80 and 160 s, later when others go first
		t.Errorf("a minion is asked up to %d times in %v", often, lasts)
	}
	if len(named) != len(mute) {
		t.Errorf("%d of %d minions are named as missing, of which %d do not answer", len(named), n, len(mute))
	}
	for id := range mute {
		if at := named[id]; at == 0 || at > lasts {
			t.Errorf("%s, which does not answer, is named after %v", id, at)
		}
	}
	if len(completed) != 1 || completed[0].Returned != n-len(mute) || len(completed[0].Missing) != len(mute) {
		t.Errorf("the job ended %d times: %s", len(completed), shortly(completed))
	}
}

// 10,000 stock minions answer within 100 ms, except 900, the first by name, which never do. The
// window grows to its maximum, all are asked within ten seconds, and mute minions hold no place.
// They become missing one gather time after the last answer.
func TestFindJobOnAFastMachine(t *testing.T) { synctest.Test(t, testFastAnswers) }

func testFastAnswers(t *testing.T) {
	const n, mute = 10_000, 900
	began := time.Now()
	var mu sync.Mutex
	asked := map[string]time.Duration{}
	under, most := 0, 0
	named := map[string]time.Duration{}
	ms := minions(n)
	silent := map[string]bool{}
	for i := range ms {
		ms[i].Live = Untracked
		if i < mute {
			silent[ms[i].ID] = true
		}
	}
	var l *ledger
	l = newLedger(AccountConfig{Hooks: Hooks{
		FindJob: func(_ string, ids []string) {
			mu.Lock()
			defer mu.Unlock()
			for _, id := range ids {
				if _, again := asked[id]; !again {
					asked[id] = time.Since(began)
				}
				if silent[id] {
					continue
				}
				under++
				time.AfterFunc(100*time.Millisecond, func() {
					mu.Lock()
					under--
					mu.Unlock()
					l.found("j", id, true)
				})
			}
			most = max(most, under)
		},
		Missing: func(_ string, gone map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
			for id := range gone {
				named[id] = time.Since(began)
			}
		},
	}})
	defer l.close()
	if err := l.openJob(Job{JID: "j", Timeout: 5 * time.Second, Minions: ms}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(15 * time.Second)
	synctest.Wait()
	mu.Lock()
	if len(asked) != n {
		t.Errorf("%d of %d have been asked ten seconds after the first", len(asked), n)
	}
	if most < 500 || most > 1000 {
		t.Errorf("up to %d are asked at a time", most)
	}
	mu.Unlock()
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	if len(named) != mute {
		t.Errorf("%d are named as missing, %d do not answer", len(named), mute)
	}
	for id, at := range named {
		if !silent[id] || at > 2*time.Minute+15*time.Second {
			t.Fatalf("%s is named after %v", id, at)
		}
	}
}

func shortly(as []Account) (out string) {
	for _, a := range as {
		out += fmt.Sprintf("%d returned, %d missing; ", a.Returned, len(a.Missing))
	}
	return out
}

// A minion that keeps answering keeps the round open. A mute one still becomes missing within two
// minutes.
func TestAnswersOfOthersDoNotKeepARoundOpenForEver(t *testing.T) { synctest.Test(t, testChatty) }

func testChatty(t *testing.T) {
	began := time.Now()
	var named atomic.Int64 // when the mute one became missing
	questions := make(chan string, 100)
	l := newLedger(AccountConfig{AskConnected: time.Second, Hooks: Hooks{
		FindJob: func(_ string, ids []string) {
			for _, id := range ids {
				questions <- id
			}
		},
		Missing: func(_ string, gone map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
			if _, is := gone["mute"]; is {
				named.Store(int64(time.Since(began)))
			}
		},
	}})
	defer l.close()
	// it answers each question at once
	if err := l.openJob(Job{JID: "j", Timeout: time.Second, Minions: []Minion{{ID: "mute", Live: Untracked}, {ID: "chatty", Live: Untracked}}}); err != nil {
		t.Fatal(err)
	}
	for named.Load() == 0 && time.Since(began) < time.Hour {
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		for len(questions) > 0 {
			if id := <-questions; id == "chatty" {
				l.found("j", id, true)
			}
		}
	}
	after := time.Duration(named.Load())
	if want := time.Second + maxRoundFactor*10*time.Second; after == 0 || after > want+time.Second {
		t.Errorf("the mute one is named after %v; at the latest: %v", after, want)
	}
}
