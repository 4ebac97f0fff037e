package peers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jid"
)

// asking is a Who with recorded questions.
type asking struct {
	*Who
	mu  sync.Mutex
	log []string // jids
	to  []uint64
}

func startAsking(t *testing.T, window int) *asking { return startAskingBut(t, window, nil) }

// startAskingBut starts a Who with a Busy function.
func startAskingBut(t *testing.T, window int, busy func() bool) *asking {
	a := &asking{}
	a.Who = NewWho(WhoOptions{
		JID: jid.NewGenerator(time.Now, 4711).Next, Secret: []byte("secret"), Window: window, Busy: busy,
		Ask: func(conn uint64, jid string) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.log, a.to = append(a.log, jid), append(a.to, conn)
			return nil
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); a.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return a
}

func (a *asking) asked() (jids []string, to []uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.log...), append([]uint64(nil), a.to...)
}

// A connection is asked once; one that does not answer, again at growing intervals; a closed one, no
// more.
func TestWho_Intervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startAsking(t, 0)
		for conn := range uint64(3) {
			w.Add(conn)
			w.Add(conn)
		}
		time.Sleep(time.Second)
		jids, to := w.asked()
		if fmt.Sprint(to) != "[0 1 2]" {
			t.Fatalf("asked %v", to)
		}
		for i, j := range jids {
			if !jid.Valid(j) || !w.Asked(j) || len(j) != 37 {
				t.Errorf("jid %s", j)
			}
			if conn, ok := w.Answered(j); i == 1 && (!ok || conn != 1) {
				t.Errorf("answered %v, %v", conn, ok)
			}
			if i == 1 {
				break
			}
		}
		w.Remove(2)
		if _, ok := w.Answered(jids[2]); ok {
			t.Error("answered after Remove")
		}
		time.Sleep(3 * time.Hour)
		if _, to = w.asked(); fmt.Sprint(to) != "[0 1 2]" {
			t.Errorf("answered or closed, and asked again: %v", to)
		}
		w.Add(7)
		time.Sleep(42 * time.Minute)
		jids, to = w.asked()
		if fmt.Sprint(to[3:]) != "[7 7 7 7 7]" {
			t.Errorf("silent, and asked %v", to[3:])
		}
		if _, ok := w.Answered(jids[3]); ok {
			t.Error("the fifth last question can be answered")
		}
		if conn, ok := w.Answered(jids[len(jids)-2]); !ok || conn != 7 {
			t.Error("the second last question cannot be answered")
		}
	})
}

// The window follows prompt answers: 2,000 connections answer within 300 ms, 1,000 never.
func TestWho_Window(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startAsking(t, 64)
		for conn := range uint64(3000) {
			w.Add(conn)
		}
		begun := time.Now()
		answered, most := 0, 0
		for seen := 0; answered < 2000 && time.Since(begun) < 10*time.Minute; {
			time.Sleep(300 * time.Millisecond)
			jids, to := w.asked()
			most = max(most, len(jids)-seen)
			for i := seen; i < len(jids); i++ {
				if to[i]%3 != 0 {
					if _, ok := w.Answered(jids[i]); ok {
						answered++
					}
				}
			}
			seen = len(jids)
		}
		took := time.Since(begun)
		if answered != 2000 || most > 64 || took < 5*time.Second || took > 3*time.Minute {
			t.Errorf("%d answered in %v, at most %d at once", answered, took, most)
		}
	})
}

// The jid of a question cannot be made without the secret.
func TestWho_Question(t *testing.T) {
	w := NewWho(WhoOptions{Secret: []byte("a")})
	q := w.Question("20260102030405000001")
	if !w.Asked(q) || !NewWho(WhoOptions{Secret: []byte("a")}).Asked(q) {
		t.Error("its question is not recognized, or not after a restart")
	}
	for _, other := range []string{
		"", "_", "20260102030405000001", "20260102030405000001_1", "20260102030405000002" + strings.TrimPrefix(q, "20260102030405000001"),
		NewWho(WhoOptions{Secret: []byte("b")}).Question("20260102030405000001"), q + "0",
	} {
		if w.Asked(other) {
			t.Errorf("%q is accepted as a question", other)
		}
	}
}

// Questions yield to sign-ins, but not for ever: 1,000 connections are asked while sign-ins never
// end.
func TestWho_Busy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var busy atomic.Bool
		busy.Store(true)
		w := startAskingBut(t, 0, busy.Load)
		for conn := range uint64(1000) {
			w.Add(conn)
		}
		answer := func(seen int) int {
			jids, _ := w.asked()
			for _, j := range jids[seen:] {
				w.Answered(j)
			}
			return len(jids)
		}
		seen := 0
		for range 10 {
			time.Sleep(time.Second)
			seen = answer(seen)
		}
		if seen < 100 || seen > 10*int(time.Second/whileBusy) {
			t.Errorf("%d were asked in ten seconds of sign-ins", seen)
		}
		busy.Store(false)
		for range 20 {
			time.Sleep(whileBusy)
			seen = answer(seen)
		}
		if seen != 1000 {
			t.Errorf("%d were asked a second after the last sign-in", seen)
		}
	})
}
