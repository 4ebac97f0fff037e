package syndic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// untold makes n closed jobs that the parent has not heard of, with so many minions
// missing in words of at most a piece each.
func untold(t *testing.T, local *fakeLocal, n, minions, piece int) (bytes int) {
	t.Helper()
	ids := make([]any, 0, minions)
	for i := range minions {
		ids = append(ids, fmt.Sprintf("minion-with-a-name-%05d", i))
	}
	local.mu.Lock()
	defer local.mu.Unlock()
	for i := range n {
		for part := range slices.Chunk(ids, piece) {
			local.open = append(local.open, heardOf(t, job(i), wire.NewMap("minions", part, "jid", job(i),
				"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap()))))
		}
		local.open = append(local.open, heardOf(t, "salt/job/"+job(i)+"/closed", closedIn(job(i), i+1)))
	}
	for _, e := range local.open {
		bytes += (len(e.Tag) + len(e.Data))
	}
	return bytes
}

func (l *fakeLocal) allTold(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.told) == n
}

// C5: more than the queue holds is told in pieces, each when the one before was taken,
// and every end is taken. It runs with 300 jobs over 2,000 minions, 15 MiB in a queue of
// one, and with 40 jobs of 5 words each in a queue of 3 words and requests of 2; the
// sweep never fires.
func TestAllIsToldInPiecesThatFit(t *testing.T) {
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
				conf.Local.Bounds.TellQueue, conf.Local.Bounds.TellQueueBytes, conf.Local.Bounds.TellBatch = c.queue, c.bytes, c.batch
				conf.Local.Bounds.TellJobs = 2
			}, p)
			n.pace.Sweep = time.Hour
			total := untold(t, n.local, c.jobs, c.minions, c.piece)
			u := n.parents.links[0].events
			most := 0
			stop := make(chan struct{})
			watched := make(chan struct{})
			go func() {
				defer close(watched)
				for {
					l := u.Load()
					most = max(most, l.UrgentBytes+l.AloftBytes)
					select {
					case <-stop:
						return
					case <-time.After(100 * time.Microsecond):
					}
				}
			}()
			n.run(t)
			waiting.Until(t, "all ends", func() bool { return n.local.allTold(c.jobs) })
			close(stop)
			<-watched
			if d := u.Dropped(); d != 0 || most > c.bytes || total <= most {
				t.Errorf("%d words dropped; of %d bytes %d waited at a time, the bound is %d", d, total, most, c.bytes)
			}
			words := c.jobs * ((c.minions + c.piece - 1) / c.piece)
			p.set(func() {
				if told := len(p.events); told < words || told > 2*words { // one that was not answered in time goes again
					t.Errorf("%d words were told of %d", told, words)
				}
			})
		})
	}
}

// C5: a parent that goes away again and again, before it has heard all, is told on from
// where it was, and hears the end of every job. 60 jobs, a queue of 3 words; after every
// five ends the connection breaks.
func TestTellingGoesOnWhereItStopped(t *testing.T) {
	const jobs = 60
	p := startParent(t, channeltest.Rules{})
	n := plant(t, func(conf *config.Syndic) { conf.Local.Bounds.TellQueue, conf.Local.Bounds.TellBatch = 3, 1 }, p)
	n.pace.Sweep = time.Hour
	untold(t, n.local, jobs, 4, 2)
	n.run(t)
	told := func() int { n.local.mu.Lock(); defer n.local.mu.Unlock(); return len(n.local.told) }
	for told() < jobs {
		was := told()
		waiting.Until(t, "further ends", func() bool { return told() >= min(was+5, jobs) })
		p.Down()
		waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
		p.Up()
	}
	p.set(func() {
		if len(p.events) > 3*2*jobs {
			t.Errorf("%d words were told, there are %d", len(p.events), 2*jobs)
		}
	})
}

// C5: while words are lost all the time, because more comes than the queue holds, the
// jobs are told anew one after the other nevertheless, and their ends count although
// the gap stands. A queue of 3 words that is overfilled after every three ends, 10 jobs.
func TestEndsCountAlthoughWordsAreLost(t *testing.T) {
	const jobs = 10
	p := startParent(t, channeltest.Rules{})
	n := plant(t, func(conf *config.Syndic) { conf.Local.Bounds.TellQueue, conf.Local.Bounds.TellBatch = 3, 1 }, p)
	n.pace.Sweep = time.Hour
	n.run(t)
	n.awaitUp(t)
	untold(t, n.local, jobs, 2, 2)
	u := n.parents.links[0].events
	flood := heardOf(t, "salt/job/"+job(99)+"/missing", missingIn(job(99)))
	for told := 0; told < jobs; {
		for before := u.Dropped(); u.Dropped() == before; { // until more came than there is room for
			u.Push(flood)
		}
		was := told
		waiting.Until(t, "ends in spite of the loss", func() bool {
			n.local.mu.Lock()
			defer n.local.mu.Unlock()
			told = len(n.local.told)
			return told >= min(was+3, jobs)
		})
	}
}

// C5: a queue that is over its bound while the parent is away forgets the oldest words;
// when the parent is back all is told anew, and the end of the job after its words.
func TestWordsLostWhileTheParentWasAway(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, func(conf *config.Syndic) { conf.Local.Bounds.TellQueue = 3 }, p)
	n.pace.Sweep = time.Hour
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	tag := "salt/job/" + job(1)
	open := []bus.Event{heardOf(t, tag+"/missing", missingIn(job(1))), heardOf(t, tag+"/closed", closedIn(job(1), 5))}
	n.local.mu.Lock()
	n.local.open = open
	n.local.mu.Unlock()
	l := n.parents.links[0]
	l.events.Push(open[0])
	for i := range 4 {
		l.events.Push(heardOf(t, "salt/job/"+job(50+i)+"/missing", missingIn(job(50+i))))
	}
	l.events.Push(open[1])
	p.Up()
	waiting.Until(t, "the end", func() bool { return n.local.wordTold(job(1)) == 5 })
	if p.heard(tag+"/missing") == 0 {
		t.Error("the end counted without its word")
	}
}
