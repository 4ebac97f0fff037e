package returners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// committer is a store whose transactions can be held and made to fail.
type committer struct {
	CommitFn func(Batch) (Result, error)
}

func (c *committer) Commit(_ context.Context, b Batch) (Result, error) { return c.CommitFn(b) }

func ret(n int) Return { return Return{JID: "1", ID: fmt.Sprint("m", n)} }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newGroup(t *testing.T, cfg GroupConfig, commit func(Batch) (Result, error)) *Group {
	cfg.Log = quiet()
	g := NewGroup(&committer{commit}, cfg)
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func submit(ctx context.Context, g *Group, rets ...Return) ([]bool, error) {
	res, err := g.Commit(ctx, Batch{Returns: rets})
	return res.NewReturns, err
}

func allNew(b Batch) (Result, error) {
	r := Result{NewReturns: make([]bool, len(b.Returns))}
	for i := range r.NewReturns {
		r.NewReturns[i] = true
	}
	return r, nil
}

func TestGroupCommitsAtOnceWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, GroupConfig{}, func(b Batch) (Result, error) {
			if len(b.Returns) != 1 {
				t.Errorf("batch %+v", b)
			}
			return allNew(b)
		})
		start := time.Now()
		isNew, err := submit(t.Context(), g, ret(1))
		if err != nil || len(isNew) != 1 || !isNew[0] || time.Since(start) != 0 {
			t.Errorf("%v, %v after %v; want no added latency", isNew, err, time.Since(start))
		}
	})
}

func TestGroupSharesCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		g := newGroup(t, GroupConfig{MaxRows: 50}, func(b Batch) (Result, error) {
			time.Sleep(10 * time.Millisecond) // a slow disk; virtual time
			sizes = append(sizes, len(b.Returns))
			return allNew(b)
		})
		var wg sync.WaitGroup
		for i := range 121 {
			wg.Go(func() {
				if _, err := submit(context.Background(), g, ret(i)); err != nil {
					t.Error(err)
				}
			})
			if i == 0 {
				synctest.Wait() // the first is being committed; the others gather
			}
		}
		wg.Wait()
		if fmt.Sprint(sizes) != "[1 50 50 20]" {
			t.Errorf("commits of %v rows", sizes)
		}
		if s := g.Stats(); s.Commits != 4 || s.Rows != 121 || s.Submissions != 121 || s.Largest != 50 || s.Slowest != 10*time.Millisecond {
			t.Errorf("stats %+v", s)
		}
	})
}

// A commit is synced when one of its submissions needs that.
func TestGroupSyncsSharedCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var unsynced []bool
		g := newGroup(t, GroupConfig{}, func(b Batch) (Result, error) {
			<-hold
			unsynced = append(unsynced, b.Unsynced)
			return allNew(b)
		})
		var wg sync.WaitGroup
		over := func(jid string) {
			wg.Go(func() {
				if _, err := g.Commit(t.Context(), Batch{Unsynced: true, Notes: []Note{{Kind: NoteOpen, JID: jid, Gone: true}}}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		over("1") // alone
		over("2")
		wg.Go(func() {
			if _, err := submit(t.Context(), g, ret(1)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		over("3")
		close(hold)
		wg.Wait()
		if !slices.Equal(unsynced, []bool{true, false}) {
			t.Errorf("commits without a sync: %v", unsynced)
		}
	})
}

func TestGroupGivesEachItsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		g := newGroup(t, GroupConfig{}, func(b Batch) (Result, error) {
			time.Sleep(time.Millisecond)
			var r Result
			for i := range b.Returns {
				r.NewReturns = append(r.NewReturns, !seen[b.Returns[i].ID])
				seen[b.Returns[i].ID] = true
			}
			for range b.Loads {
				r.NewLoads = append(r.NewLoads, true)
			}
			return r, nil
		})
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				b := Batch{Returns: []Return{ret(i), ret(i)}, Loads: make([]Load, i%3)}
				for j := range b.Loads {
					b.Loads[j].JID = "1"
				}
				res, err := g.Commit(context.Background(), b)
				if err != nil || len(res.NewReturns) != 2 || !res.NewReturns[0] || res.NewReturns[1] || len(res.NewLoads) != i%3 {
					t.Errorf("%d: %+v, %v", i, res, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestGroupBlocksSendersAtItsBounds(t *testing.T) {
	for name, cfg := range map[string]GroupConfig{"rows": {MaxPending: 3}, "memory": {MaxMemory: 30}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hold := make(chan struct{})
				g := newGroup(t, cfg, func(b Batch) (Result, error) { <-hold; return allNew(b) })
				var wg sync.WaitGroup
				for i := range 10 {
					wg.Go(func() {
						r := ret(i)
						r.Full = make([]byte, 10)
						if _, err := submit(context.Background(), g, r); err != nil {
							t.Error(err)
						}
					})
				}
				synctest.Wait()
				if w := g.Stats().Waiting; w > 3 {
					t.Errorf("%d submissions are queued, the bound is 3", w)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := submit(ctx, g, ret(99)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a sender with a deadline: %v", err)
				}
				close(hold)
				wg.Wait()
				big := ret(100)
				big.Full = make([]byte, 1000) // over the whole bound: committed alone
				if _, err := submit(t.Context(), g, big); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A caller that stops waiting withdraws what no commit has taken: it is not stored later, and its room is free.
func TestGroupWithdrawsWhatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var stored []string
		g := newGroup(t, GroupConfig{MaxPending: 3}, func(b Batch) (Result, error) {
			<-hold
			for _, r := range b.Returns {
				stored = append(stored, r.ID)
			}
			return allNew(b)
		})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := submit(t.Context(), g, ret(0)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // it is being committed
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for i := range 6 {
			wg.Go(func() {
				if _, err := submit(ctx, g, ret(1+i)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		time.Sleep(2 * time.Second) // virtual
		if w := g.Stats().Waiting; w != 0 {
			t.Errorf("%d wait", w)
		}
		wg.Go(func() {
			if _, err := submit(t.Context(), g, ret(8), ret(9)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if w := g.Stats().Waiting; w != 1 {
			t.Errorf("%d wait, want the one that found room", w)
		}
		close(hold)
		wg.Wait()
		if got := strings.Join(stored, " "); got != "m0 m8 m9" {
			t.Errorf("stored %s", got)
		}
	})
}

// Once a commit has begun its outcome counts, however long it takes. A caller that gave up would count a job as not
// started, or a return as not received, although it is stored.
func TestGroupReturnsTheOutcomeOfABegunCommit(t *testing.T) {
	for name, fails := range map[string]error{"stored": nil, "failed": ErrFull} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t, GroupConfig{}, func(b Batch) (Result, error) {
					time.Sleep(10 * time.Second) // a disk that stops; virtual time
					if fails != nil {
						return Result{}, fails
					}
					return allNew(b)
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				isNew, err := submit(ctx, g, ret(1))
				if took := time.Since(start); took != 10*time.Second || !errors.Is(err, fails) || fails == nil && !slices.Equal(isNew, []bool{true}) {
					t.Errorf("%v, %v after %v", isNew, err, took)
				}
			})
		})
	}
}

func TestGroupFailures(t *testing.T) {
	odd := errors.New("one row is odd")
	for _, c := range []struct {
		name    string
		fail    func(Batch) error
		failing int // of 10 senders
	}{
		{"full disk is for all", func(Batch) error { return fmt.Errorf("x: %w", ErrFull) }, 10},
		{"bad row is for its sender", func(b Batch) error {
			for i := range b.Returns {
				if b.Returns[i].ID == "m7" {
					return odd
				}
			}
			return nil
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t, GroupConfig{}, func(b Batch) (Result, error) {
					time.Sleep(time.Millisecond)
					if err := c.fail(b); err != nil {
						return Result{}, err
					}
					return allNew(b)
				})
				var mu sync.Mutex
				failed := 0
				var wg sync.WaitGroup
				for i := range 10 {
					wg.Go(func() {
						if _, err := submit(context.Background(), g, ret(i)); err != nil {
							mu.Lock()
							failed++
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				if failed != c.failing || g.Stats().Failed == 0 {
					t.Errorf("%d senders got an error, want %d; %+v", failed, c.failing, g.Stats())
				}
				if _, err := submit(t.Context(), g, Return{ID: "x"}); !errors.Is(err, ErrInvalid) {
					t.Errorf("no jid: %v", err)
				}
			})
		})
	}
}

func TestGroupCloseCommitsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stored := 0
		g := newGroup(t, GroupConfig{MaxRows: 2}, func(b Batch) (Result, error) {
			time.Sleep(time.Millisecond)
			stored += len(b.Returns)
			return allNew(b)
		})
		var wg sync.WaitGroup
		for i := range 7 {
			wg.Go(func() {
				if _, err := submit(context.Background(), g, ret(i)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := g.Close(); err != nil || stored != 7 {
			t.Errorf("%d rows, %v", stored, err)
		}
		wg.Wait()
		if _, err := submit(t.Context(), g, ret(1)); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// A full disk fails many commits; the log has one line about it in ten seconds.
func TestGroupThrottlesRepeatedFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines strings.Builder
		g := newGroup(t, GroupConfig{}, func(Batch) (Result, error) {
			return Result{}, fmt.Errorf("commit at %v: %w", time.Now(), syscall.ENOSPC)
		})
		g.cfg.Log = slog.New(slog.NewTextHandler(&lines, nil))
		for range 25 {
			if _, err := submit(t.Context(), g, ret(1)); !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		for _, count := range []string{" count=1 ", " count=10 "} {
			if !strings.Contains(lines.String(), count) {
				t.Errorf("no line with%s", count)
			}
		}
		if n := strings.Count(lines.String(), "\n"); n != 3 || g.Stats().Failed != 25 {
			t.Errorf("%d lines of %d failures:\n%s", n, g.Stats().Failed, lines.String())
		}
	})
}
