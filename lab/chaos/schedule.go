//go:build linux

package chaos

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"
)

// What a fault does.
const (
	Kill      = "kill"      // SIGKILL a member, start it again at the end
	Restart   = "restart"   // SIGTERM, start it again at the end
	Pause     = "pause"     // SIGSTOP, SIGCONT at the end
	Partition = "partition" // an edge, or all edges of a station, both ways
	OneWay    = "oneway"    // the same, one way
	Slow      = "slow"      // delay
	Lossy     = "lossy"     // packets get lost
	Reorder   = "reorder"   // packets overtake each other
	Disk      = "disk"      // the disk of a node is full
	Clock     = "clock"     // the wall clock of a member jumps, and back at the end
	SQLKill   = "sqlkill"   // MariaDB dies as by loss of power
	SQLStop   = "sqlstop"   // MariaDB is shut down
	SQLPause  = "sqlpause"  // MariaDB does not answer
	Drain     = "drain"     // mom node drain, and its --undo at the end
)

// Fault is one thing that goes wrong for a while.
type Fault struct {
	What    string
	Who     string // a member, or "sql"
	Peer    string // of what happens to one edge: its other end; "" means all of them
	At, For time.Duration
	Weather Weather       // of network faults
	Jump    time.Duration // of Clock
}

func (f Fault) String() string {
	s := f.What + " " + f.Who
	if f.Peer != "" {
		s += ">" + f.Peer
	}
	switch f.What {
	case Slow, Reorder:
		s += fmt.Sprintf(" %v±%v", f.Weather.Delay, f.Weather.Jitter)
	case Lossy:
		s += fmt.Sprintf(" %.0f%%", f.Weather.Loss*100)
	case Clock:
		s += fmt.Sprintf(" %+v", f.Jump)
	}
	return s + fmt.Sprintf(" @%.1f+%.1f", f.At.Seconds(), f.For.Seconds())
}

// Task is a job to be published.
type Task struct {
	At    time.Duration
	Top   string
	Tgt   any
	Type  string // "glob", "list"
	Who   []string
	Sleep time.Duration // how long each minion takes
	Batch string        // who drives it as a batch; "": it is none
	Size  int           // of a batch: how many work at a time
}

// Schedule is what a seed stands for.
type Schedule struct {
	Seed   uint64
	Length time.Duration // tasks and faults end by then
	Faults []Fault
	Tasks  []Task
}

func (s Schedule) String() string {
	if len(s.Faults) == 0 {
		return "none"
	}
	out := make([]string, len(s.Faults))
	for i, f := range s.Faults {
		out[i] = f.String()
	}
	return strings.Join(out, ", ")
}

// Abilities say what can be done to a world.
type Abilities struct {
	Disk  bool // nodes have disks of their own
	Clock bool // the program was built with a clock that can be set
	// Cluster: the tops are one cluster. Exactly one of them is lost for a while.
	Cluster bool
}

// NewSchedule draws the schedule of a seed; one in five is three times as long.
// Faults without the ability are drawn all the same and left out, so the others
// do not depend on it.
func NewSchedule(seed uint64, length time.Duration, able Abilities) Schedule {
	r := rand.New(rand.NewPCG(seed, 0x6d6f6d))
	if r.IntN(5) == 0 {
		length *= 3 // long enough for what waits for heartbeats, leases and time-outs
	}
	s := Schedule{Seed: seed, Length: length}
	busy := map[string]bool{} // one fault of a kind of state per member: two hands on one process undo each other
	for range 3 + r.IntN(5) {
		f := drawFault(r, length)
		slot := f.slot()
		if able.Cluster && f.hitsTop() || slot != "" && busy[slot] || f.What == Disk && !able.Disk || f.What == Clock && !able.Clock {
			continue
		}
		busy[slot] = true
		s.Faults = append(s.Faults, f)
	}
	if f, ok := drawDrain(seed, length); ok {
		s.Faults = append(s.Faults, f)
	}
	if able.Cluster {
		_, lost := drawTopFault(seed, length)
		s.Faults = append(s.Faults, lost...)
	}
	sort.SliceStable(s.Faults, func(i, j int) bool { return s.Faults[i].At < s.Faults[j].At })
	s.Tasks = append(drawTasks(r, length), drawBatches(seed, length)...)
	sort.SliceStable(s.Tasks, func(i, j int) bool { return s.Tasks[i].At < s.Tasks[j].At })
	return s
}

// slot names what a fault holds for itself; "" for what may overlap.
func (f Fault) slot() string {
	switch f.What {
	case Kill, Restart, Pause, SQLKill, SQLStop, SQLPause:
		return "process " + f.Who
	case Disk, Clock:
		return f.What + " " + f.Who
	}
	return ""
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func drawFault(r *rand.Rand, length time.Duration) Fault {
	within := func(lo, hi time.Duration) time.Duration {
		return lo + time.Duration(r.Int64N(int64(hi-lo))).Truncate(100*time.Millisecond)
	}
	f := Fault{At: within(length/20, length*5/10), For: within(300*time.Millisecond, length*5/10)}
	everyone := append(nodes(), minions()...)
	whats := []string{
		Kill, Kill, Kill, Kill, Restart, Restart, Pause, Pause, Partition, Partition, OneWay, OneWay,
		Slow, Lossy, Reorder, Disk, Clock, Clock, SQLKill, SQLStop, SQLPause,
	}
	f.What = pick(r, whats)
	switch f.What {
	case Kill, Restart, Pause:
		if f.Who = pick(r, everyone); r.IntN(2) == 0 {
			f.Who = pick(r, nodes())
		}
	case Disk:
		f.Who = pick(r, nodes())
	case Clock:
		f.Who = pick(r, everyone)
		f.Jump = pick(r, []time.Duration{time.Second, 5 * time.Second, time.Minute, time.Hour, 26 * time.Hour})
		if r.IntN(2) == 0 {
			f.Jump = -f.Jump
		}
	case SQLKill, SQLStop, SQLPause:
		f.Who = "sql"
	default:
		e := pick(r, edges())
		f.Who, f.Peer = stationName(e.from), stationName(e.to)
		if r.IntN(2) == 0 {
			f.Who, f.Peer = f.Peer, f.Who
		}
		if r.IntN(3) == 0 {
			f.Peer = ""
		}
		f.Weather = drawWeather(r, f.What)
	}
	return f
}

func drawWeather(r *rand.Rand, what string) Weather {
	switch what {
	case Slow:
		return Weather{Delay: time.Duration(20+r.IntN(380)) * time.Millisecond, Jitter: time.Millisecond}
	case Lossy:
		return Weather{Loss: 0.02 + 0.18*r.Float64()}
	case Reorder:
		return Weather{Delay: time.Millisecond, Jitter: time.Duration(5+r.IntN(60)) * time.Millisecond}
	}
	return Weather{Cut: true}
}

// edges gives the directions that a network fault is about.
func (f Fault) edges() []edge {
	at := func(name string) int {
		if name == "sql" {
			return database
		}
		return stationOf(name)
	}
	who := at(f.Who)
	var out []edge
	for _, e := range append(edges(), betweenTops()...) {
		if e.from != who && e.to != who || f.Peer != "" && e.from != at(f.Peer) && e.to != at(f.Peer) {
			continue
		}
		peer := e.from + e.to - who
		out = append(out, edge{who, peer})
		if f.What != OneWay {
			out = append(out, edge{peer, who})
		}
	}
	return out
}

func drawTasks(r *rand.Rand, length time.Duration) []Task {
	var out []Task
	for at := time.Duration(0); at < length; at += time.Duration(150+r.IntN(350)) * time.Millisecond {
		t := Task{At: at, Top: tops()[len(out)%2], Type: "glob"}
		switch r.IntN(5) {
		case 0:
			t.Tgt, t.Who = "mc*", []string{"mc1", "mc2"}
		case 1:
			one := pick(r, minions())
			t.Tgt, t.Who, t.Type = []string{one}, []string{one}, "list"
		default:
			t.Tgt, t.Who = "*", minions()
		}
		t.Sleep = pick(r, []time.Duration{0, 0, 0, 300 * time.Millisecond, 1500 * time.Millisecond})
		out = append(out, t)
	}
	return out
}
