package engine

import "time"

const (
	// firstTurn is how many minions of a job are asked by find_job at first.
	firstTurn = 100
	// leastTurn is how many may always be asked at a time.
	leastTurn = 10
	// slowAnswer is how long an answer takes if those that are asked, or this machine, are
	// given more than they get through.
	slowAnswer = time.Second
	// overdue is how many times the bound may be asked in all, with those who hold no place
	// any more since they have left their question unanswered.
	overdue = 4
)

// turns tells how many minions of a job may be asked by find_job at a time: as many as answer
// within a second, which shows by how long the last ones took. Where returns come in as
// fast as a machine takes them, questions must not keep it from that: a stock minion gives
// its return up when three tries have not come through. Times are since the job was opened.
type turns struct {
	size   int           // how many; 0: firstTurn
	capped bool          // it was too many at some time
	cut    time.Duration // when it was made smaller last
	quick  int           // answers in time, since it grew
	any    bool          // somebody has answered
	lastAt time.Duration // when that was last
	newest time.Duration // when the newest question was put that has an answer

	last    time.Duration // when somebody was asked last
	asking  int           // at this look: minions whose answer is out
	waiting int           // of these, those that hold a place
}

// answered enters an answer to a question that was put at sent. most: the bound.
func (t *turns) answered(now, sent time.Duration, most int) {
	t.any, t.lastAt, t.newest = true, now, max(t.newest, sent)
	if t.size == 0 {
		t.size = firstTurn
	}
	switch took := now - sent; {
	//mutant:find-job-follows-answers
	case took > slowAnswer:
		if sent >= t.cut { // else it was under way when it was made smaller
			t.size, t.cut, t.capped, t.quick = max(t.size/2, leastTurn), now, true, 0
		}
	case took < slowAnswer/2 && t.size < most:
		// Twice as many with each round at first, then a quarter more.
		if t.quick++; !t.capped || t.quick >= 4 {
			t.size, t.quick = t.size+1, 0
		}
	}
}

// look begins to count who is asked.
func (t *turns) look() { t.asking, t.waiting = 0, 0 }

// count enters a minion that was asked at sent and has not answered. It holds a place as long
// as its answer may be on the way: nobody who was asked later has answered, and answers come.
func (t *turns) count(now, sent time.Duration) {
	t.asking++
	//mutant:find-job-mute-minions-hold-no-place
	if sent >= t.newest && now-max(sent, t.lastAt) < 2*slowAnswer {
		t.waiting++
	}
}

// room is how many more may be asked now, of most at all.
func (t *turns) room(most int) int {
	if t.size == 0 {
		t.size = firstTurn
	}
	if t.waiting == 0 && t.asking > 0 && t.last > t.lastAt && !t.capped {
		t.size = min(2*t.size, most) // none of those who were asked last is there: no answers to wait for
	}
	//mutant:find-job-late-answers-hold-no-place
	return min(min(t.size, most)-t.waiting, overdue*most-t.asking)
}

// put enters that minions were asked.
func (t *turns) put(now time.Duration) { t.last = now }
