package engine

import "time"

const (
	// firstTurn is the initial window.
	firstTurn = 100
	// leastTurn is the minimum window.
	leastTurn = 10
	// slowAnswer is the answer time that indicates overload, here or at the minions.
	slowAnswer = time.Second
	// maxOutstanding bounds all unanswered questions, in units of the maximum window, including
	// those that no longer hold a place in it.
	maxOutstanding = 4
)

// turns is the congestion window of find_job for one job: it grows while minions answer quickly
// and halves when an answer takes more than a second. Questions must not delay returns: a stock
// minion drops its return after three failed attempts. Times are relative to the opening of the
// job.
type turns struct {
	size           int           // window; 0: firstTurn
	capped         bool          // has been halved
	shrunkAt       time.Duration // time of the last halving
	quick          int           // quick answers since it last grew
	anyAnswer      bool          // an answer was received
	lastAt         time.Duration // time of the last answer
	newestAnswered time.Duration // send time of the newest answered question

	lastAsked time.Duration // time of the last question
	asking    int           // unanswered questions, counted at this look
	inPlay    int           // of these, questions that hold a place
}

// answered adjusts the window for an answer to a question sent at sent. most is the maximum
// window.
func (t *turns) answered(now, sent time.Duration, most int) {
	t.anyAnswer, t.lastAt, t.newestAnswered = true, now, max(t.newestAnswered, sent)
	if t.size == 0 {
		t.size = firstTurn
	}
	switch took := now - sent; {
	//mutant:find-job-follows-answers
	case took > slowAnswer:
		if sent >= t.shrunkAt { // otherwise it was sent before the halving
			t.size, t.shrunkAt, t.capped, t.quick = max(t.size/2, leastTurn), now, true, 0
		}
	case took < slowAnswer/2 && t.size < most:
		// Double the window each round until the first halving, then grow by a quarter.
		if t.quick++; !t.capped || t.quick >= 4 {
			t.size, t.quick = t.size+1, 0
		}
	}
}

// look resets the counts.
func (t *turns) look() { t.asking, t.inPlay = 0, 0 }

// count adds a question sent at sent without an answer. It holds a place while no later question
// was answered and answers keep coming.
func (t *turns) count(now, sent time.Duration) {
	t.asking++
	//mutant:find-job-mute-minions-hold-no-place
	if sent >= t.newestAnswered && now-max(sent, t.lastAt) < 2*slowAnswer {
		t.inPlay++
	}
}

// room returns how many more questions may be sent.
func (t *turns) room(most int) int {
	if t.size == 0 {
		t.size = firstTurn
	}
	if t.inPlay == 0 && t.asking > 0 && t.lastAsked > t.lastAt && !t.capped {
		t.size = min(2*t.size, most) // no answer to the last questions: do not wait for them
	}
	//mutant:find-job-late-answers-hold-no-place
	return min(min(t.size, most)-t.inPlay, maxOutstanding*most-t.asking)
}

// asked records that questions were sent.
func (t *turns) asked(now time.Duration) { t.lastAsked = now }
