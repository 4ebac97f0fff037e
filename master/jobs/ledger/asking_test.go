package ledger

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A job of 3,000 stock minions that takes eight minutes, on a machine that gets through
// 20 answers to find_job a second: asked all at once, most would be answered after their
// round and be named, as 88,000 of 100,000 were. None that answers is named, however late;
// at most a thousand are asked at a time, and none more often than the time it has run
// for asks for. Two of them leave all questions unanswered: they are named, two minutes
// after their question at the latest.
func TestFindJobOnASlowMachine(t *testing.T) { synctest.Test(t, testSlowAnswers) }

func testSlowAnswers(t *testing.T) {
	const n, perSecond, lasts = 3_000, 20, 8 * time.Minute
	began := time.Now()
	questions := make(chan string, n)
	asked := map[string]int{}
	named := map[string]time.Duration{}
	var completed []Account
	l := New(Config{Hooks: Hooks{
		FindJob: func(_ string, ids []string) {
			for _, id := range ids {
				asked[id]++
				questions <- id
			}
			if len(questions) > 1000 {
				t.Errorf("%d are asked at a time", len(questions))
			}
		},
		Missing: func(_ string, gone map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
			for id := range gone {
				named[id] = time.Since(began)
			}
		},
		Complete: func(a Account) { completed = append(completed, a) },
	}})
	defer l.Close()
	ms := minions(n)
	mute := map[string]bool{ms[17].ID: true, ms[n-1].ID: true}
	for i := range ms {
		ms[i].Live = Untracked
	}
	if err := l.Open(Job{JID: "j", Minions: ms}); err != nil {
		t.Fatal(err)
	}
	for time.Since(began) < lasts {
		time.Sleep(time.Second / perSecond)
		synctest.Wait()
		select {
		case id := <-questions:
			if !mute[id] {
				l.Found("j", id, true)
			}
		default:
		}
	}
	for _, m := range ms {
		if !mute[m.ID] {
			l.Returned("j", m.ID, "", true)
		}
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	most := 0
	for _, times := range asked {
		most = max(most, times)
	}
	if most < 2 || most > 6 { // after 5, 10, 20, 40, 80 and 160 s, later where others have their turn
		t.Errorf("a minion is asked up to %d times in %v", most, lasts)
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

func shortly(as []Account) (out string) {
	for _, a := range as {
		out += fmt.Sprintf("%d returned, %d missing; ", a.Returned, len(a.Missing))
	}
	return out
}

// A minion whose answers keep others' rounds open, since it says again and again that it
// works on the job, cannot put off for more than two minutes that a mute one is named.
func TestAnswersOfOthersDoNotKeepARoundOpenForEver(t *testing.T) { synctest.Test(t, testChatty) }

func testChatty(t *testing.T) {
	began := time.Now()
	var named atomic.Int64 // when the mute one was, since the start
	questions := make(chan string, 100)
	l := New(Config{AskConnected: time.Second, Hooks: Hooks{
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
	defer l.Close()
	// Asked every second, it answers at once.
	if err := l.Open(Job{JID: "j", Timeout: time.Second, Minions: []Minion{{ID: "mute", Live: Untracked}, {ID: "chatty", Live: Untracked}}}); err != nil {
		t.Fatal(err)
	}
	for named.Load() == 0 && time.Since(began) < time.Hour {
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		for len(questions) > 0 {
			if id := <-questions; id == "chatty" {
				l.Found("j", id, true)
			}
		}
	}
	after := time.Duration(named.Load())
	if want := time.Second + longestRound*10*time.Second; after == 0 || after > want+time.Second {
		t.Errorf("the mute one is named after %v; at the latest: %v", after, want)
	}
}
