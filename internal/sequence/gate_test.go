package sequence

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestGate(t *testing.T) {
	type step struct {
		from string
		mark Mark
		late uint64 // 0 means admitted
	}
	for name, steps := range map[string][]step{
		"in order":                 {{"a", Mark{1, 1}, 0}, {"a", Mark{2, 2}, 0}},
		"two under way":            {{"a", Mark{6, 5}, 0}, {"a", Mark{5, 5}, 0}},
		"given up and sent again":  {{"a", Mark{7, 6}, 0}, {"a", Mark{5, 5}, 6}, {"a", Mark{6, 6}, 0}},
		"late before it is known":  {{"a", Mark{5, 5}, 0}, {"a", Mark{7, 7}, 0}},
		"of an earlier life":       {{"a", Mark{1000, 1000}, 0}, {"a", Mark{8, 8}, 1000}},
		"clock set back, went on":  {{"a", Mark{1000, 1000}, 0}, {"a", Mark{8, 8}, 1000}, {"a", Mark{1001, 1001}, 0}},
		"another sender's numbers": {{"a", Mark{1000, 1000}, 0}, {"b", Mark{8, 8}, 0}},
		"without numbers":          {{"a", Mark{1000, 1000}, 0}, {"a", Mark{}, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			var g Gate
			for i, s := range steps {
				leave, err := g.Enter(s.from, s.mark)
				var late Late
				if errors.As(err, &late) != (s.late > 0) || late.Oldest != s.late {
					t.Errorf("step %d: %v, want it late before %d", i, err, s.late)
				}
				if err == nil {
					leave()
				}
			}
		})
	}
}

// A waiting request is judged when it is its turn.
func TestGate_TurnByTurn(t *testing.T) {
	var g Gate
	leave, err := g.Enter("a", Mark{9, 9})
	if err != nil {
		t.Fatal(err)
	}
	inside := make(chan error)
	go func() {
		_, err := g.Enter("a", Mark{8, 8})
		inside <- err
	}()
	if other, err := g.Enter("b", Mark{1, 1}); err != nil {
		t.Error(err)
	} else {
		other()
	}
	select {
	case <-inside:
		t.Error("two requests of one sender were inside at once")
	default:
	}
	leave()
	if err := <-inside; !errors.As(err, new(Late)) {
		t.Errorf("error %v", err)
	}
}

// However the network delays requests, and whatever a sender gives up and sends again: the last
// report that the receiver accepts about a subject is the last one sent.
func TestOrderOfWords(t *testing.T) {
	dir := t.TempDir()
	var files atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		const matters = 3
		type request struct {
			mark   Mark
			matter int
			word   int
		}
		var (
			g     Gate
			heard [matters]int
			away  []request // given up, and still in transit
			said  [matters]int
			sent  = map[int]request{} // by subject, one at a time
			days  = int64(1000)
		)
		file := filepath.Join(dir, fmt.Sprint(files.Add(1)))
		live := func() *Numbers {
			l, err := Begin(file, time.Unix(0, days))
			if err != nil {
				t.Fatal(err)
			}
			return l.Numbers()
		}
		life := live()
		arrive := func(r request) bool {
			leave, err := g.Enter("node", r.mark)
			if err != nil {
				life.Pass(err.(Late).Oldest)
				return false
			}
			defer leave()
			heard[r.matter] = r.word
			return true
		}
		send := func(matter int) {
			sent[matter] = request{life.Next(), matter, said[matter]}
		}
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) {
				m := rapid.IntRange(0, matters-1).Draw(t, "matter")
				said[m]++
				if _, under := sent[m]; !under {
					send(m)
				}
			},
			"give up": func(t *rapid.T) {
				for m, r := range sent {
					life.Done(r.mark)
					away = append(away, r)
					delete(sent, m)
				}
			},
			"deliver late": func(t *rapid.T) {
				if len(away) == 0 {
					return // nothing is in transit
				}
				i := rapid.IntRange(0, len(away)-1).Draw(t, "which")
				r := away[i]
				away = append(away[:i], away[i+1:]...)
				if leave, err := g.Enter("node", r.mark); err == nil {
					heard[r.matter] = r.word
					leave()
				}
			},
			"die": func(t *rapid.T) {
				for m, r := range sent {
					away = append(away, r)
					delete(sent, m)
				}
				days += rapid.Int64Range(-50, 50).Draw(t, "clock")
				life = live()
			},
			"settle": func(t *rapid.T) {
				for m := range matters {
					if r, under := sent[m]; under {
						life.Done(r.mark)
						away = append(away, r)
						delete(sent, m)
					}
				}
				for m := range matters {
					for range 100 { // it sends everything again until it is received
						send(m)
						r := sent[m]
						delete(sent, m)
						ok := arrive(r)
						life.Done(r.mark)
						if ok {
							break
						}
					}
				}
				for _, r := range away {
					if leave, err := g.Enter("node", r.mark); err == nil {
						heard[r.matter] = r.word
						leave()
					}
				}
				away = nil
				if heard != said {
					t.Fatalf("heard %v, said %v", heard, said)
				}
			},
		})
	})
}
