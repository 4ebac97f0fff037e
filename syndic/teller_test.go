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
		bytes += size(e)
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
			n.pace.sweep = time.Hour
			total := untold(t, n.local, c.jobs, c.minions, c.piece)
			u := n.parents.links[0].events
			most := 0
			stop := make(chan struct{})
			watched := make(chan struct{})
			go func() {
				defer close(watched)
				for {
					u.mu.Lock()
					most = max(most, u.urgent.bytes+u.aloft.bytes)
					u.mu.Unlock()
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
			if d := n.parents.links[0].figures.dropped.Load(); d != 0 || most > c.bytes || total <= most {
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
	n.pace.sweep = time.Hour
	untold(t, n.local, jobs, 4, 2)
	n.run(t)
	told := func() int { n.local.mu.Lock(); defer n.local.mu.Unlock(); return len(n.local.told) }
	for told() < jobs {
		was := told()
		waiting.Until(t, "further ends", func() bool { return told() >= min(was+5, jobs) })
		p.Down()
		waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].isUp() })
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
	n.pace.sweep = time.Hour
	n.run(t)
	n.awaitUp(t)
	untold(t, n.local, jobs, 2, 2)
	u := n.parents.links[0].events
	flood := heardOf(t, "salt/job/"+job(99)+"/missing", missingIn(job(99)))
	for told := 0; told < jobs; {
		u.mu.Lock()
		for range 5 { // one more than there is room for at the least
			u.urgent.push(flood)
		}
		lost := u.urgent.lost > 0
		u.mu.Unlock()
		if !lost {
			t.Fatal("nothing was lost")
		}
		ring(u.kick)
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
	n.pace.sweep = time.Hour
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].isUp() })
	tag := "salt/job/" + job(1)
	open := []bus.Event{heardOf(t, tag+"/missing", missingIn(job(1))), heardOf(t, tag+"/closed", closedIn(job(1), 5))}
	n.local.mu.Lock()
	n.local.open = open
	n.local.mu.Unlock()
	l := n.parents.links[0]
	l.events.push(open[0])
	for i := range 4 {
		l.events.push(heardOf(t, "salt/job/"+job(50+i)+"/missing", missingIn(job(50+i))))
	}
	l.events.push(open[1])
	p.Up()
	waiting.Until(t, "the end", func() bool { return n.local.wordTold(job(1)) == 5 })
	if p.heard(tag+"/missing") == 0 {
		t.Error("the end counted without its word")
	}
}

// What is told again of a job never comes behind a newer word of it: a minion that was
// found missing while the job was being told would be waited for again. A queue of 3
// words, a job of 4.
func TestNothingOldIsToldBehindANewWord(t *testing.T) {
	n := plant(t, func(conf *config.Syndic) { conf.Local.Bounds.TellQueue = 3 }, startParent(t, channeltest.Rules{}))
	u := n.parents.links[0].events
	know := func(age string) {
		n.local.open = nil
		for i := range 4 {
			n.local.open = append(n.local.open, heardOf(t, job(1), wire.NewMap("minions", []any{fmt.Sprint("m", i)}, "jid", job(1), "age", age)))
		}
	}
	know("old")
	u.teller.begin(false)
	var said []string
	drain := func() {
		for _, e := range u.urgent.take(room{10, 1 << 20, 1 << 20}) {
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, d.String("age"))
		}
	}
	for u.teller.step() {
	}
	know("new")
	u.push(heardOf(t, "salt/job/"+job(1)+"/missing", wire.NewMap("jid", job(1), "age", "word")))
	for range 20 {
		drain()
		for u.teller.step() {
		}
	}
	if at := slices.Index(said, "word"); at < 1 || slices.Contains(said[at:], "old") || len(said[at:]) != 5 {
		t.Errorf("it was told %v", said)
	}
	u.teller.leave()
}

// While all is told again, a job comes that has an older jid than those whose turn is
// next, as when a master above was away; its end comes before its turn and does not
// count. It is told when its turn has come, in this lap, whatever list was read before.
// Three jobs, a lap after a loss; the sweep never fires.
func TestAnOlderJobThatComesMeanwhileIsTold(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, func(conf *config.Syndic) { conf.Local.Bounds.TellQueue = 100 }, p)
	u := n.parents.links[0].events
	ended := func(i, word int) bus.Event {
		return heardOf(t, "salt/job/"+job(i)+"/closed", closedIn(job(i), word))
	}
	send := func() { sendAll(u) }
	untold(t, n.local, 1, 2, 2) // job 0
	n.local.mu.Lock()
	n.local.open = append(n.local.open, heardOf(t, "salt/job/"+job(5)+"/missing", missingIn(job(5))), ended(5, 2))
	n.local.mu.Unlock()
	u.teller.begin(true)
	for n.local.wordTold(job(0)) == 0 { // the list of what comes next is read: job 5
		if !u.teller.step() {
			t.Fatal("the lap has ended before the first job was told")
		}
		send()
	}
	n.local.mu.Lock()
	n.local.open = append(n.local.open, heardOf(t, "salt/job/"+job(3)+"/missing", missingIn(job(3))), ended(3, 3))
	n.local.mu.Unlock()
	u.push(ended(3, 3))
	send() // it does not count: of job 3 nothing was said since the loss
	if n.local.wordTold(job(3)) != 0 {
		t.Fatal("an end counts for a job that was not told since words were lost")
	}
	for u.teller.step() {
		send()
	}
	send()
	if n.local.wordTold(job(3)) == 0 || n.local.wordTold(job(5)) == 0 {
		t.Errorf("the lap is over, and told the ends of %v", n.local.told)
	}
}

// sendAll has what is at the front of the queue leave, and taken.
func sendAll(u *uplink) {
	for {
		f, ok := u.depart()
		if !ok {
			return
		}
		_, ends := split(f.batch)
		u.ended(ends)
		u.mu.Lock()
		u.aloft.urgent--
		u.aloft.set(f, false)
		u.mu.Unlock()
	}
}

// What an earlier life of the node had to say of a job, and did not, is gone with it:
// that the job ends now counts only when the job has been told.
func TestAnEndDoesNotCountBeforeThisLifeHasToldTheJob(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	u := n.parents.links[0].events
	n.local.mu.Lock()
	n.local.open = []bus.Event{heardOf(t, job(0), wire.NewMap("minions", []any{"m1"}, "jid", job(0)))}
	n.local.mu.Unlock()
	u.teller.begin(false) // the parent is greeted
	end := heardOf(t, "salt/job/"+job(0)+"/closed", closedIn(job(0), 1))
	n.local.mu.Lock()
	n.local.open = append(n.local.open, end)
	n.local.mu.Unlock()
	u.push(end)
	sendAll(u)
	if n.local.wordTold(job(0)) != 0 {
		t.Fatal("the end counts, and the parent has heard nothing of the job")
	}
	for u.teller.step() {
		sendAll(u)
	}
	sendAll(u)
	if n.local.wordTold(job(0)) != 1 {
		t.Error("the end was not told")
	}
}
