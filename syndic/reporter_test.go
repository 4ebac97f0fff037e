package syndic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent/jobeventtest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// addUnreported adds n closed jobs that the parent does not know, each with missing minions in
// events of piece minions.
func addUnreported(t *testing.T, local *fakeLocal, n, minions, piece int) (bytes int) {
	t.Helper()
	ids := make([]any, 0, minions)
	for i := range minions {
		ids = append(ids, fmt.Sprintf("minion-with-a-name-%05d", i))
	}
	local.mu.Lock()
	defer local.mu.Unlock()
	for i := range n {
		for part := range slices.Chunk(ids, piece) {
			local.open = append(local.open, jobeventtest.Event(t, job(i), wire.NewMap("minions", part, "jid", job(i),
				"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap()))))
		}
		local.open = append(local.open, jobeventtest.Event(t, "salt/job/"+job(i)+"/closed", closedIn(job(i), i+1)))
	}
	for _, e := range local.open {
		bytes += (len(e.Tag) + len(e.Data))
	}
	return bytes
}

func (l *fakeLocal) allReported(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.reported) == n
}

// More reports than the queue holds are sent in pieces, each after the previous one was accepted,
// and every end is accepted. 300 jobs with 2,000 minions, 15 MiB through a queue of one; and 40
// jobs of 5 reports through a queue of 3 and requests of 2; no sweep.
func TestReports_FitTheQueue(t *testing.T) {
	for _, c := range []struct {
		name                 string
		jobs, minions, piece int
		queue, bytes, batch  int
	}{
		{"15 MiB through 1 MiB", 300, 2000, 2000, 10000, 1 << 20, 1000},
		{"5 words through 3", 40, 10, 2, 3, 1 << 20, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startParent(t, channeltest.Rules{})
			n := plant(t, func(conf *config.Syndic) {
				conf.Local.Bounds.ReportQueue, conf.Local.Bounds.ReportQueueBytes, conf.Local.Bounds.ReportBatch = c.queue, c.bytes, c.batch
				conf.Local.Bounds.ReportJobs = 2
			}, p)
			n.pace.Sweep = time.Hour
			total := addUnreported(t, n.local, c.jobs, c.minions, c.piece)
			u := n.parents.links[0].events
			most := 0
			stop := make(chan struct{})
			watched := make(chan struct{})
			go func() {
				defer close(watched)
				for {
					l := u.Load()
					most = max(most, l.UrgentBytes+l.InFlightBytes)
					select {
					case <-stop:
						return
					case <-time.After(100 * time.Microsecond):
					}
				}
			}()
			n.run(t)
			waiting.Until(t, "all ends", func() bool { return n.local.allReported(c.jobs) })
			close(stop)
			<-watched
			if d := u.Dropped(); d != 0 || most > c.bytes || total <= most {
				t.Errorf("%d reports dropped; of %d bytes %d waited at a time, the bound is %d", d, total, most, c.bytes)
			}
			words := c.jobs * ((c.minions + c.piece - 1) / c.piece)
			p.set(func() {
				if sent := len(p.events); sent < words || sent > 2*words { // unanswered requests are repeated
					t.Errorf("%d of %d reports sent", sent, words)
				}
			})
		})
	}
}

// A parent that disconnects again and again gets the remaining reports from where they stopped, and
// the end of every job. 60 jobs, a queue of 3; the connection breaks after every five ends.
func TestReports_ResumeAfterReconnect(t *testing.T) {
	const jobs = 60
	p := startParent(t, channeltest.Rules{})
	n := plant(t, func(conf *config.Syndic) { conf.Local.Bounds.ReportQueue, conf.Local.Bounds.ReportBatch = 3, 1 }, p)
	n.pace.Sweep = time.Hour
	addUnreported(t, n.local, jobs, 4, 2)
	n.run(t)
	reported := func() int { n.local.mu.Lock(); defer n.local.mu.Unlock(); return len(n.local.reported) }
	for reported() < jobs {
		was := reported()
		waiting.Until(t, "further ends", func() bool { return reported() >= min(was+5, jobs) })
		p.Down()
		waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
		p.Up()
	}
	p.set(func() {
		if len(p.events) > 3*2*jobs {
			t.Errorf("%d reports sent, want %d", len(p.events), 2*jobs)
		}
	})
}

// While reports are lost continuously the jobs are reported again one after the other, and their
// ends count although the gap stands. 10 jobs, a queue of 3 that overflows after every three ends.
func TestReports_EndsCountDespiteLoss(t *testing.T) {
	const jobs = 10
	p := startParent(t, channeltest.Rules{})
	n := plant(t, func(conf *config.Syndic) { conf.Local.Bounds.ReportQueue, conf.Local.Bounds.ReportBatch = 3, 1 }, p)
	n.pace.Sweep = time.Hour
	n.run(t)
	n.awaitUp(t)
	addUnreported(t, n.local, jobs, 2, 2)
	u := n.parents.links[0].events
	flood := jobeventtest.Event(t, "salt/job/"+job(99)+"/missing", missingIn(job(99)))
	for reported := 0; reported < jobs; {
		for before := u.Dropped(); u.Dropped() == before; { // until the queue overflows
			u.Push(flood)
		}
		was := reported
		waiting.Until(t, "ends in spite of the loss", func() bool {
			n.local.mu.Lock()
			defer n.local.mu.Unlock()
			reported = len(n.local.reported)
			return reported >= min(was+3, jobs)
		})
	}
}

// A queue that overflows while the parent is away drops the oldest reports. When the parent is back
// all is reported again, with the end of the job after its reports.
func TestReports_LostWhileParentAway(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, func(conf *config.Syndic) { conf.Local.Bounds.ReportQueue = 3 }, p)
	n.pace.Sweep = time.Hour
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	tag := "salt/job/" + job(1)
	open := []bus.Event{jobeventtest.Event(t, tag+"/missing", missingIn(job(1))), jobeventtest.Event(t, tag+"/closed", closedIn(job(1), 5))}
	n.local.mu.Lock()
	n.local.open = open
	n.local.mu.Unlock()
	l := n.parents.links[0]
	l.events.Push(open[0])
	for i := range 4 {
		l.events.Push(jobeventtest.Event(t, "salt/job/"+job(50+i)+"/missing", missingIn(job(50+i))))
	}
	l.events.Push(open[1])
	p.Up()
	waiting.Until(t, "the end", func() bool { return n.local.lastReported(job(1)) == 5 })
	if p.heard(tag+"/missing") == 0 {
		t.Error("end counted without its report")
	}
}
