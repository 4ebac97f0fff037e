package plan

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Needs describes what a tree has to carry. Zero values mean the defaults.
type Needs struct {
	Minions int
	// RTT is the round trip time between nodes, MinionRTT between a minion and its node. Defaults 2
	// ms and 1 ms.
	RTT, MinionRTT time.Duration
	// JobsPerMinute is the number of jobs per minute to all minions. Returns are additional returns
	// per second of all minions together.
	JobsPerMinute, Returns float64
	// Size is the size of a result in bytes. Default 100.
	Size int
	// Open is the number of concurrently open jobs to all minions. Default 3.
	Open int
	// Cores and Memory (bytes) are the resources of a node. Defaults 2 and 4 GiB.
	Cores  int
	Memory int64
	// Load is the fraction of its cores that a node may use for steady load. Default 0.5.
	Load float64
	// Restart is the time within which all minions of a restarted node sign in. Default 60 s.
	Restart time.Duration
	// Run is the run time of test.ping on a minion. Default 30 ms.
	Run time.Duration
}

// Tier describes each node of one tier.
type Tier struct {
	Depth    int `json:"depth"` // 0: the top
	Nodes    int `json:"nodes"`
	Children int `json:"children"` // child nodes of each
	Minions  int `json:"minions"`  // own minions of each
	Below    int `json:"below"`    // minions of each and of all below it
	// Memory is in bytes, Cores in cores used by the steady load, In in bytes per second from
	// below, Rows in returns stored per second.
	Memory int64   `json:"memory_bytes"`
	Cores  float64 `json:"cores"`
	In     float64 `json:"in_bytes_per_second"`
	Rows   float64 `json:"rows_per_second"`
}

// Plan is a tree to build.
type Plan struct {
	Shape      string  `json:"shape"` // in the syntax of momlab sim
	Tiers      []Tier  `json:"tiers"`
	Returns    float64 `json:"returns_per_second"`
	SQLServers int     `json:"sql_servers"` // one holds all returns; more are shards
	// MostJobs is the number of jobs per minute to all minions that this shape carries, limited by
	// cores and by the writers of the stores.
	MostJobs float64 `json:"most_jobs_per_minute"`
	// Ping is the approximate duration of test.ping to all minions, from the command to the last
	// return.
	Ping  time.Duration `json:"ping_ns"`
	Notes []string      `json:"notes"`
	Costs Costs         `json:"costs"`
}

// ErrTooMuch means that no tree with one top carries the load on such machines.
var ErrTooMuch = errors.New("one top cannot carry that")

const (
	maxMinions = 20_000_000
	maxTiers   = 15 // of 16 tiers, one is the minions'
)

func (n *Needs) fill() error {
	for _, d := range []struct {
		v   *time.Duration
		def time.Duration
	}{{&n.RTT, 2 * time.Millisecond}, {&n.MinionRTT, time.Millisecond}, {&n.Restart, time.Minute}, {&n.Run, 30 * time.Millisecond}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	for _, i := range []struct {
		v   *int
		def int
	}{{&n.Size, 100}, {&n.Open, 3}, {&n.Cores, 2}} {
		if *i.v == 0 {
			*i.v = i.def
		}
	}
	if n.Memory == 0 {
		n.Memory = 4 << 30
	}
	if n.Load == 0 {
		n.Load = 0.5
	}
	var errs []error
	must := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	must(n.Minions >= 1 && n.Minions <= maxMinions, "minions is %d, must be 1 to %d", n.Minions, maxMinions)
	must(n.RTT > 0 && n.RTT <= time.Minute && n.MinionRTT > 0 && n.MinionRTT <= time.Minute, "a round trip must be above 0 and at most a minute")
	must(finite(n.JobsPerMinute) && finite(n.Returns), "jobs per minute and returns per second must not be below 0")
	must(n.Size > 0 && n.Size <= 64<<20, "size is %d, must be 1 to %d bytes", n.Size, 64<<20)
	must(n.Open > 0 && n.Open <= 10_000, "open jobs is %d, must be 1 to 10000", n.Open)
	must(n.Cores > 0 && n.Cores <= 1024, "cores is %d, must be 1 to 1024", n.Cores)
	must(n.Memory >= 256<<20, "memory is %d bytes, must be at least 256 MiB", n.Memory)
	must(n.Load > 0 && n.Load <= 1, "load is %v, must be above 0 and at most 1", n.Load)
	must(n.Restart >= time.Second, "restart is %s, must be at least a second", n.Restart)
	must(n.Run > 0 && n.Run <= time.Hour, "run is %s, must be above 0 and at most an hour", n.Run)
	return errors.Join(errs...)
}

func finite(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }

// Make returns a plan for the needs, or an error that wraps [ErrTooMuch].
func Make(n Needs, c Costs) (Plan, error) {
	if err := n.fill(); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	p := Plan{Returns: n.Returns + n.JobsPerMinute*float64(n.Minions)/60, Costs: c}
	if err := p.checkTop(n, c); err != nil {
		return Plan{}, err
	}
	per, why := perNode(n, c, p.Returns/float64(n.Minions))
	if per < 1 {
		return Plan{}, fmt.Errorf("plan: %w: a node cannot carry even one minion (%s)", ErrTooMuch, why)
	}
	fan := p.grow(n.Minions, per, int(c.of("children")))
	if len(fan) > maxTiers {
		return Plan{}, fmt.Errorf("plan: %w: it would take %d tiers, at most %d are followed", ErrTooMuch, len(fan), maxTiers)
	}
	p.describe(n, c, fan)
	if top := p.Tiers[0]; top.Memory > n.Memory {
		return Plan{}, fmt.Errorf("plan: %w: it needs %d MiB for %d open jobs and has %d MiB", ErrTooMuch, top.Memory>>20, n.Open, n.Memory>>20)
	}
	p.SQLServers = max(1, int(math.Ceil(p.Returns/(n.Load*c.of("sql_rows")))))
	p.MostJobs = p.mostJobs(n, c)
	p.Ping = p.ping(n, c)
	p.note(n, per, why)
	return p, nil
}

// checkTop returns an error if the load exceeds the top in any shape.
func (p *Plan) checkTop(n Needs, c Costs) error {
	// One writer stores the rows; other work is shared by the cores.
	most := n.Load * min(1/c.of("row_cpu"), float64(n.Cores)/(c.of("row_cpu")+c.of("codec_cpu")))
	if p.Returns > most {
		return fmt.Errorf("plan: %w: %.0f returns/s reach it whatever the tiers below, and it takes %.0f at a load of %.0f %%; "+
			"send digests to the top (syndic_forward_returns), run several tops, or ask less often", ErrTooMuch, p.Returns, most, 100*n.Load)
	}
	return nil
}

// perNode returns the number of minions that one node carries, and the limiting resource. rate is
// the returns per second of one minion.
func perNode(n Needs, c Costs, rate float64) (int, string) {
	free := float64(n.Memory)/2 - c.of("base_memory") // half is reserved for bursts
	each := c.of("connection_memory") + c.of("leaf_memory") + float64(n.Open)*c.of("entry_memory")
	per, why := free/each, "memory"
	limit := func(most float64, by string) {
		if most < per {
			per, why = most, by
		}
	}
	limit(n.Restart.Seconds()/c.of("signin_cpu")*float64(max(n.Cores-1, 1)), "sign-ins after a restart")
	if rate > 0 {
		limit(n.Load*float64(n.Cores)/(rate*(c.of("request_cpu")+c.of("codec_cpu")+c.of("row_cpu"))), "processor time of returns")
		limit(n.Load/(rate*c.of("row_cpu")), "the one writer of the store")
	}
	return int(max(per, 0)), why
}

// grow returns the shape: the children per node of each tier, and the minions per node of the last.
func (p *Plan) grow(minions, per, children int) []int {
	if minions <= per {
		return []int{minions}
	}
	leaves := (minions + per - 1) / per
	if leaves == 1 {
		return []int{minions}
	}
	tiers := 1
	for most := children; most < leaves; most *= max(children, 2) {
		tiers++
	}
	// Use the same fan-out at each tier, as evenly as possible.
	fan, rest := []int{}, leaves
	for t := tiers; t > 0; t-- {
		f := int(math.Ceil(math.Pow(float64(rest), 1/float64(t)) - 1e-9))
		fan = append(fan, f)
		rest = (rest + f - 1) / f
	}
	nodes := 1
	for _, f := range fan {
		nodes *= f
	}
	return append(fan, (minions+nodes-1)/nodes)
}

func (p *Plan) describe(n Needs, c Costs, fan []int) {
	parts := make([]string, len(fan))
	for i, f := range fan {
		parts[i] = strconv.Itoa(f)
	}
	p.Shape = strings.Join(parts, "x")
	nodes := 1
	for depth := range fan {
		t := Tier{Depth: depth, Nodes: nodes}
		t.Below = (n.Minions + nodes - 1) / nodes
		if depth == len(fan)-1 {
			t.Minions = fan[depth]
		} else {
			t.Children = fan[depth]
		}
		t.Rows = p.Returns * float64(t.Below) / float64(n.Minions)
		bytes := c.of("hop_bytes") + float64(n.Size)
		if t.Minions > 0 {
			bytes = c.of("message_bytes") + float64(n.Size)
		}
		t.Cores, t.In = t.Rows*t.rowCPU(c), t.Rows*bytes
		t.Memory = int64(c.of("base_memory") + float64(t.Children+t.Minions)*c.of("connection_memory") +
			float64(t.Below)*(c.of("leaf_memory")+float64(n.Open)*c.of("entry_memory")))
		p.Tiers = append(p.Tiers, t)
		nodes *= fan[depth]
	}
}

// rowCPU returns the CPU time of a node of the tier for one return, in seconds.
func (t Tier) rowCPU(c Costs) float64 {
	cpu := c.of("codec_cpu") + c.of("row_cpu")
	if t.Minions > 0 {
		cpu += c.of("request_cpu")
	}
	return cpu
}

// mostJobs returns the jobs per minute to all minions that the limiting tier carries beside the
// additional returns.
func (p *Plan) mostJobs(n Needs, c Costs) float64 {
	most := math.Inf(1)
	for _, t := range p.Tiers {
		rows := n.Load * min(1/c.of("row_cpu"), float64(n.Cores)/t.rowCPU(c))
		most = min(most, 60*(rows/float64(t.Below)-n.Returns/float64(n.Minions)))
	}
	return max(most, 0)
}

// ping adds the times that cannot overlap: the way down, the minion, the busiest node's processing
// of its returns, and the way up.
func (p *Plan) ping(n Needs, c Costs) time.Duration {
	total := n.MinionRTT.Seconds() + n.Run.Seconds() + float64(len(p.Tiers)-1)*n.RTT.Seconds()
	busiest := 0.0
	ret, hop, _ := c.Service(n.Cores)
	for _, t := range p.Tiers {
		total += float64(t.Children+t.Minions) * c.of("subscriber_time")
		each := hop
		if t.Minions > 0 {
			each = ret
		}
		busiest = max(busiest, float64(t.Below)*each.Seconds())
	}
	return time.Duration((total + busiest) * float64(time.Second)).Round(time.Millisecond)
}

// few formats a small number.
func few(n float64) string {
	if n >= 10 {
		return strconv.FormatFloat(math.Floor(n), 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', 2, 64)
}

func (p *Plan) note(n Needs, per int, why string) {
	add := func(format string, args ...any) { p.Notes = append(p.Notes, fmt.Sprintf(format, args...)) }
	add("A node of %d cores and %d MiB carries up to %d minions; the limit is %s.", n.Cores, n.Memory>>20, per, why)
	add("A steady load of up to %s jobs to all minions a minute is carried.", few(p.MostJobs))
	top := p.Tiers[0]
	if len(p.Tiers) > 1 && top.Below > 200_000 {
		add("One job to all makes %d rows at the top; nothing but digests (syndic_forward_returns) takes them off it.", top.Below)
	}
	if p.SQLServers > 1 {
		add("%.0f rows/s are more than one MySQL server takes: shard by jid, or give each syndic tier its own.", p.Returns)
	}
	add("Play it: momlab sim --shape %s", p.Shape)
}
