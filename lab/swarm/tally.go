package swarm

import (
	"maps"
	"time"
)

// mostSums is how many different hashes of files the account of a job lists.
const mostSums = 32

// tally is what one minion fetched for one job.
type tally struct {
	requests, bytes            int64
	whole, held, absent, wrong int
	pillars, faulty, foreign   int
	sums                       []string
	failed                     bool // the job failed because of something that could not be fetched
}

// Work is what minions fetched from their master for one job: files for cp.get_file and
// cp.cache_file, the files and pillars of highstates, pillars.
type Work struct {
	// Minions is how many have finished, Failed how many of them could not fetch what they
	// needed.
	Minions int `json:"minions"`
	Failed  int `json:"failed"`
	// Requests counts answered requests, Bytes the content of fetched files.
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`
	// Files counts files with the hash that the master named, Wrong those with another one, Held
	// those that the minion had already, Absent those that the master does not have.
	Files  int `json:"files"`
	Wrong  int `json:"wrong"`
	Held   int `json:"held"`
	Absent int `json:"absent"`
	// Sums counts Files by hash, for 32 hashes at most.
	Sums map[string]int `json:"sums,omitempty"`
	// Pillars counts pillars that the master signed and that could be decrypted. Faulty ones
	// have errors (_errors), Foreign ones are not this minion's: see Config.PillarID.
	Pillars int `json:"pillars"`
	Faulty  int `json:"faulty_pillars"`
	Foreign int `json:"foreign_pillars"`
	// First, P50, P99 and Last are the times from the first receipt of the job to the finish
	// of the first minion, of the median, and so on.
	First Seconds `json:"first"`
	P50   Seconds `json:"p50"`
	P99   Seconds `json:"p99"`
	Last  Seconds `json:"last"`
}

// work is [Work] while it grows, guarded by the lock of its [Job].
type work struct {
	sum         Work
	first, last time.Duration
	times       histogram
}

// worked adds what a minion has fetched.
func (j *Job) worked(t *tally, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.work == nil {
		j.work = &work{sum: Work{Sums: map[string]int{}}}
	}
	w, took := j.work, now.Sub(j.first)
	if w.sum.Minions == 0 || took < w.first {
		w.first = took
	}
	w.last = max(w.last, took)
	w.times.add(took)
	s := &w.sum
	s.Minions++
	if t.failed {
		s.Failed++
	}
	s.Requests, s.Bytes = s.Requests+t.requests, s.Bytes+t.bytes
	s.Files, s.Held, s.Absent, s.Wrong = s.Files+t.whole, s.Held+t.held, s.Absent+t.absent, s.Wrong+t.wrong
	s.Pillars, s.Faulty, s.Foreign = s.Pillars+t.pillars, s.Faulty+t.faulty, s.Foreign+t.foreign
	for _, sum := range t.sums {
		if _, known := s.Sums[sum]; known || len(s.Sums) < mostSums {
			s.Sums[sum]++
		}
	}
}

// report returns the current account; nil: nothing was fetched.
func (w *work) report() *Work {
	if w == nil {
		return nil
	}
	r := w.sum
	r.Sums = maps.Clone(r.Sums)
	r.First, r.Last = Seconds(w.first), Seconds(w.last)
	r.P50, r.P99 = Seconds(w.times.quantile(0.5)), Seconds(w.times.quantile(0.99))
	return &r
}
