package state

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/salt/modules"
)

// queuePoll is how often a queued run looks whether those before it have ended.
const queuePoll = 200 * time.Millisecond

// others are the jobs beside this one that run states.
func others(c *modules.Call) []modules.Job {
	var out []modules.Job
	for _, j := range c.Env.Jobs().Running() {
		if j.JID == c.JID && c.JID != "" || !runsStates(j) {
			continue
		}
		out = append(out, j)
	}
	return out
}

func runsStates(j modules.Job) bool {
	for _, fun := range texts(fun(j)) {
		if strings.HasPrefix(fun, "state.") {
			return true
		}
	}
	return false
}

func fun(j modules.Job) any {
	v, _ := j.Load.Get("fun")
	return v
}

// conflicts tells of the other jobs that run states, in Salt's words.
func conflicts(c *modules.Call) []any {
	out := []any{}
	for _, j := range others(c) {
		began := "an unknown time"
		if t, err := jid.Time(j.JID); err == nil {
			began = t.Format("2006, Jan 02 15:04:05.000000")
		}
		out = append(out, fmt.Sprintf("The function \"%s\" is running as PID %d and was started at %s with jid %s",
			strings.Join(texts(fun(j)), ","), j.PID, began, j.JID))
	}
	return out
}

// earlier are the other jobs with states that began before this one.
func earlier(c *modules.Call) []modules.Job {
	mine := jobNumber(c.JID)
	var out []modules.Job
	for _, j := range others(c) {
		if n := jobNumber(j.JID); n != nil && (mine == nil || n.Cmp(mine) < 0) {
			out = append(out, j)
		}
	}
	return out
}

// jobNumber is a job id as a number, nil when it is none. It has 20 digits, and more with
// unique_jid: no machine word holds it.
func jobNumber(id string) *big.Int {
	n, ok := new(big.Int).SetString(strings.ReplaceAll(id, "_", ""), 10)
	if !ok {
		return nil
	}
	return n
}

// queue lets one run of states go on at a time. With queue True (or a number that is not
// reached) it waits for those before it; else it tells them as the result.
func queue(ctx context.Context, c *modules.Call, queue any, concurrent bool) (conflict []any, err error) {
	if queue == nil {
		queue = c.Env.Option("state_queue")
	}
	wait := queue == true
	if n, ok := queue.(int64); ok && n > 0 {
		wait = len(earlier(c)) < int(n)
	}
	if wait {
		for len(earlier(c)) > 0 {
			if err := timing.Sleep(ctx, queuePoll); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	if concurrent {
		return nil, nil
	}
	if found := conflicts(c); len(found) > 0 {
		c.Retcode = 1
		return found, nil
	}
	return nil, nil
}
