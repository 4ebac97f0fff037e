package master

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/zmtp/peer"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
	_ "github.com/momtree/mom/returners/mysql" // makes the database available
	"github.com/momtree/mom/returners/mysql/mysqltest"
)

// stockEnv makes the test binary simulate minions that return jobs, so that the processor time of
// the benchmark's process is the master's.
const stockEnv = "MOM_TEST_STOCK"

// herdPlan is the input of that process. It reads a round per line, makes all minions return its
// job, and answers with a line of durations.
type herdPlan struct {
	Addr   string
	Key    string // for all sessions
	Tok    []byte
	N      int
	Active int  // minions that return at the same time
	Kept   bool // one connection per minion; else one per return, as stock minions do
	Size   int  // of a result; 0: that of test.ping
}

// herdRound is one job returned by all minions.
type herdRound struct {
	JID  string
	Rate float64 // returns per second, regardless of acknowledgements; 0: as fast as they are
}

// herdTook holds the time of a return, from its due time to its acknowledgement, and the total.
type herdTook struct{ P50, P99, All time.Duration }

// playing runs the minions if this process is for that.
func playing() bool {
	text := os.Getenv(stockEnv)
	if text == "" {
		return false
	}
	var s herdPlan
	err := json.Unmarshal([]byte(text), &s)
	if err == nil {
		err = s.play()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "minions:", err)
		os.Exit(1)
	}
	return true
}

func (s herdPlan) play() error {
	key, err := crypt.ParseKey(s.Key)
	if err != nil {
		return err
	}
	to, err := netip.ParseAddrPort(s.Addr)
	if err != nil {
		return err
	}
	herd := make([]*benchMinion, s.N)
	for i := range herd {
		herd[i] = &benchMinion{id: stockID(i), key: key, tok: s.Tok}
		if !s.Kept {
			from, _ := netip.AddrFromSlice(swarmtest.FromMany(i).To4())
			d := peer.Dialer{Addr: to, From: from}
			herd[i].once = func(body []byte) ([]byte, error) { return d.Do(context.Background(), body) }
		} else if herd[i].Peer, err = swarmtest.Dial(swarmtest.FromMany(i), "REQ", s.Addr); err != nil {
			return err
		}
	}
	var value any = true
	if s.Size > 0 {
		value = strings.Repeat("x", s.Size)
	}
	fmt.Println("ready")
	for in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout); ; {
		var r herdRound
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		took, err := s.round(herd, r, value)
		if err != nil {
			return err
		}
		if err := out.Encode(took); err != nil {
			return err
		}
	}
}

// round makes all minions return one job.
func (s herdPlan) round(herd []*benchMinion, r herdRound, value any) (herdTook, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	errs, took, began := make(chan error, s.Active), make([]time.Duration, len(herd)), time.Now()
	for range s.Active {
		all.Go(func() {
			for i := int(next.Add(1) - 1); i < len(herd); i = int(next.Add(1) - 1) {
				due := time.Now()
				if r.Rate > 0 {
					due = began.Add(time.Duration(float64(i) / r.Rate * float64(time.Second)))
					_ = timing.Sleep(context.Background(), time.Until(due))
				}
				if err := herd[i].request(returnOf(herd[i].id, r.JID, value), began.Unix()); err != nil {
					errs <- err
					return
				}
				took[i] = time.Since(due)
			}
		})
	}
	all.Wait()
	whole := time.Since(began)
	slices.Sort(took)
	select {
	case err := <-errs:
		return herdTook{}, err
	default:
		return herdTook{P50: took[len(took)/2], P99: took[len(took)*99/100], All: whole}, nil
	}
}

func stockID(i int) string { return fmt.Sprintf("m%05d", i) }

// otherMinions is the benchmark's side of that process.
type otherMinions struct {
	b   *testing.B
	in  *json.Encoder
	out *json.Decoder
}

func (s herdPlan) start(b *testing.B) *otherMinions {
	b.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), stockEnv+"="+string(text)), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		b.Fatal("the process of the minions ended: ", err)
	}
	return &otherMinions{b, json.NewEncoder(in), json.NewDecoder(lines)}
}

// all makes all minions return a job.
func (p *otherMinions) all(r herdRound) (took herdTook) {
	p.b.Helper()
	if err := p.in.Encode(r); err != nil {
		p.b.Fatal(err)
	}
	if err := p.out.Decode(&took); err != nil {
		p.b.Fatal("the process of the minions ended: ", err)
	}
	return took
}

// stockMinions is the number of minions that return a job, an eighth of them at a time.
const stockMinions = 2000

// stockHerd starts the master, and the process with accepted minions.
func (r *rig) stockHerd(b *testing.B, s herdPlan) *otherMinions {
	b.Helper()
	s.Key, s.Tok, s.N, s.Active = crypt.NewKeyString(), tokOf(b, "minion"), stockMinions, stockMinions/8
	for i := range s.N {
		r.accept(stockID(i), "minion")
		r.session(stockID(i), s.Key, time.Now())
	}
	r.start()
	s.Addr = local(r.ret)
	return s.start(b)
}

func (r *rig) stockJob() string {
	return r.say(testJob("*", "glob")).Map("load").String("jid")
}

// BenchmarkStockReturns measures minions in another process that return jobs known to the master.
// The processor time is the master's own. With MySQL, in-sql/s counts until the last row is stored.
func BenchmarkStockReturns(b *testing.B) {
	for _, c := range []struct {
		name   string
		herd   herdPlan
		parent string
		sql    bool
	}{
		{name: "each"},
		{name: "each-outbox", parent: "parent"},
		{name: "kept", herd: herdPlan{Kept: true}},
		{name: "kept-outbox", herd: herdPlan{Kept: true}, parent: "parent"},
		{name: "kept1k", herd: herdPlan{Kept: true, Size: 1 << 10}},
		{name: "mysql", herd: herdPlan{Kept: true}, sql: true},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b, func(cf *config.Master) {
				cf.MaxConnections = 4 * stockMinions
				if c.sql {
					server := mysqltest.Start(b)
					cf.MasterJobCache = "mysql"
					cf.Raw = map[string]any{"mysql.unix_socket": server.Socket, "mysql.user": "root", "mysql.pass": "", "mysql.db": server.Database(b)}
				}
			})
			r.opts.Parent = c.parent
			began, n := r.stockReturns(b, c.herd)
			if c.sql {
				eventually(b, "all in SQL", func() bool { return r.pendingSQL(b) == 0 })
				b.ReportMetric(float64(n)/time.Since(began).Seconds(), "in-sql/s")
			}
		})
	}
}

// stockReturns makes the minions return b.N jobs, after one that warms up, and reports the cost. n is the number of returns
// since began.
func (r *rig) stockReturns(b *testing.B, herd herdPlan) (began time.Time, n int) {
	b.Helper()
	minions := r.stockHerd(b, herd)
	minions.all(herdRound{JID: r.stockJob()})
	var busy, waits time.Duration
	began = time.Now()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		jid, before := r.stockJob(), cpu(b)
		b.StartTimer()
		waits += minions.all(herdRound{JID: jid}).P50
		busy += cpu(b) - before
	}
	b.StopTimer()
	n = stockMinions * b.N
	eventually(b, "all returns counted", func() bool { return r.stats.Returns.Load() == uint64(n+stockMinions) })
	b.ReportMetric(float64(busy.Nanoseconds())/1000/float64(n), "cpu-us/return")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "returns/s")
	b.ReportMetric(float64((waits/time.Duration(b.N)).Microseconds())/1000, "p50-ms")
	return began, n
}

// pendingSQL returns the number of rows not yet in the database.
func (r *rig) pendingSQL(b *testing.B) (rows int64) {
	b.Helper()
	st, err := r.store.Stats(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if st.Database != nil && st.Database.Down {
		b.Fatal("the database takes nothing: ", st.Database.LastError)
	}
	for _, o := range st.Backlog {
		if o.Dest == "mysql" {
			rows = o.Rows
		}
	}
	return rows
}

// BenchmarkHalfLoad measures the time of a return at half the maximum rate of the master, which is
// measured first.
func BenchmarkHalfLoad(b *testing.B) {
	for _, c := range []struct {
		name string
		herd herdPlan
	}{{"each", herdPlan{}}, {"kept", herdPlan{Kept: true}}} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b, func(c *config.Master) { c.MaxConnections = 4 * stockMinions })
			minions := r.stockHerd(b, c.herd)
			var most float64
			for range 3 {
				most = max(most, stockMinions/minions.all(herdRound{JID: r.stockJob()}).All.Seconds())
			}
			var p50s, p99s []time.Duration
			b.ResetTimer()
			for range b.N {
				took := minions.all(herdRound{JID: r.stockJob(), Rate: most / 2})
				p50s, p99s = append(p50s, took.P50), append(p99s, took.P99)
			}
			b.StopTimer()
			slices.Sort(p50s)
			slices.Sort(p99s)
			b.ReportMetric(most/2, "returns/s")
			b.ReportMetric(float64(p50s[len(p50s)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(p99s[len(p99s)/2].Microseconds())/1000, "p99-ms")
		})
	}
}
