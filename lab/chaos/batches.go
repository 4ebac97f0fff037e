//go:build linux

package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
)

// Ways to run a task on a few minions at a time.
const (
	ByMaster = "master" // survives the end of the command
	ByClient = "client"
)

// batchStream is the second half of the seed of drawBatches. Batches have a stream of their own, so
// that the other tasks of a seed stay the same.
const batchStream = 0x6261

// drawBatches draws one to three batches for two seeds of three.
func drawBatches(seed uint64, length time.Duration) (out []Task) {
	r := rand.New(rand.NewPCG(seed, batchStream))
	if r.IntN(3) == 0 {
		return nil
	}
	for range 1 + r.IntN(3) {
		out = append(out, Task{
			At: time.Duration(r.Int64N(int64(length / 2))), Top: pick(r, tops()), Tgt: "*", Type: "glob", Who: minions(),
			Sleep: pick(r, []time.Duration{0, 300 * time.Millisecond, 1500 * time.Millisecond}),
			Batch: pick(r, []string{ByMaster, ByMaster, ByClient}), Size: 1 + r.IntN(3),
		})
	}
	return out
}

// batch runs a task in batches. The master chooses the job id.
func (w *World) batch(ctx context.Context, j *job) {
	// The minion records when it begins and ends, beside what it has run.
	line := fmt.Sprintf(`echo %s >> "$%s"; from=$(date +%%s%%N); sleep %.1f; echo %[1]s $from $(date +%%s%%N) >> "$%[2]s.times"`, j.mark, envRan, j.Sleep.Seconds())
	what := client.Job{Tgt: j.Tgt, TgtType: j.Type, Fun: []string{"cmd.run"}, Args: []any{line}}
	o := client.Batch{Size: strconv.Itoa(j.Size)}
	by := w.tops[j.Top].client
	j.at = time.Now()
	if j.Batch == ByMaster {
		var started client.BatchStarted
		if started, j.err = by.StartBatch(ctx, what, o); j.err == nil {
			if j.jid, j.Who = started.JID, sortedKeys(started.Asked.Returns); j.jid == "" {
				j.err = errors.New("no minion answered")
			}
		}
	} else {
		j.err = w.batchByClient(ctx, j, by, what, o)
	}
	w.note("batch by %s at %s, %d at a time, is job %s: %v", j.Batch, j.Top, j.Size, j.jid, j.err)
}

// batchByClient runs a batch as a command does: the batch ends with the connection to the master.
func (w *World) batchByClient(ctx context.Context, j *job, by *client.Client, what client.Job, o client.Batch) error {
	j.Who = nil
	b, err := by.Batch(ctx, what, o)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	var begins []string
	for {
		u, err := b.Next(ctx)
		switch {
		case u.Begins != nil:
			begins = u.Begins
		case u.Started != "" && err == nil:
			j.jid, j.Who = u.Started, append(j.Who, begins...)
		}
		if err != nil && j.jid != "" {
			w.note("command of batch %s ended: %v", j.jid, err)
			return nil
		}
		if err != nil || u.Ended != nil && j.jid == "" {
			return errors.Join(err, errors.New("no slice was started"))
		}
		if u.Ended != nil {
			return nil
		}
	}
}

// batchOver returns an error while a master still drives a batch. The masters of these worlds keep
// no state of batches that have ended.
func (w *World) batchOver(ctx context.Context, j *job) error {
	raw, err := w.tops[j.Top].client.Runner(ctx, "batch.status", j.jid)
	if err != nil {
		return fmt.Errorf("ask for batch %s: %w", j.jid, err)
	}
	if wire.IsNil(wire.Raw(raw)) {
		return nil
	}
	st, err := wire.DecodeMap(wire.Raw(raw))
	if err != nil {
		return fmt.Errorf("read the state of batch %s: %w", j.jid, err)
	}
	if !st.Bool("halted") && st.Int("active")+st.Int("pending") > 0 {
		return fmt.Errorf("batch %s is running: %d active, %d pending", j.jid, st.Int("active"), st.Int("pending"))
	}
	return nil
}

// batchesOver returns an error while a master still drives any batch.
func (w *World) batchesOver(ctx context.Context, jobs []*job) error {
	for _, j := range jobs {
		if j.Batch != ByMaster || !j.accepted() {
			continue
		}
		if err := w.batchOver(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// batch checks a batch that a top drives and that was not halted: each of its minions has a row or is
// named. If all have returned and none was ever named as missing, at most Size ran it at a time.
func (v *verdict) batch(j *job, h *heard, rows map[string]row, expected map[string]string, times []span) {
	if j.Batch != ByMaster || !j.accepted() {
		return
	}
	named := false
	for _, id := range j.Who {
		_, returned := rows[id]
		_, asked := expected[id]
		if named = named || !returned || expected[id] != ""; !returned && !asked {
			v.blame("batch %s of %s: %s never ran it", j.jid, j.Top, id)
		}
	}
	if n := atOnce(times); !named && len(h.named) == 0 && !h.late && len(h.ends) > 0 && n > j.Size {
		v.blame("batch %s: %d minions ran it at a time, the limit is %d: %v", j.jid, n, j.Size, times)
	}
}

// span is the time during which a minion ran a job, in Unix nanoseconds.
type span struct {
	id       string
	from, to int64
}

// atOnce returns the highest number of overlapping spans.
func atOnce(spans []span) (most int) {
	type change struct{ at, by int64 }
	var cs []change
	for _, s := range spans {
		cs = append(cs, change{s.from, 1}, change{s.to, -1})
	}
	sort.Slice(cs, func(a, b int) bool { return cs[a].at < cs[b].at || cs[a].at == cs[b].at && cs[a].by < cs[b].by })
	n := int64(0)
	for _, c := range cs {
		n += c.by
		most = max(most, int(n))
	}
	return most
}

// times reads when minions ran batches, by mark.
func (w *World) times() (map[string][]span, error) {
	out := map[string][]span{}
	for _, id := range minions() {
		f, err := os.Open(filepath.Join(w.members[id].dir, "ran.times"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for sc := bufio.NewScanner(f); sc.Scan(); {
			mark, rest, _ := strings.Cut(sc.Text(), " ")
			s := span{id: id}
			if _, err := fmt.Sscan(rest, &s.from, &s.to); err == nil {
				out[mark] = append(out[mark], s)
			}
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
