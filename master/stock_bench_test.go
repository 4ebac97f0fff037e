package master

import (
	"bufio"
	"context"
	"encoding/json"
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
	"github.com/momtree/mom/internal/swarm/peer"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

// stockEnv makes the test binary play minions that return jobs, so that the processor
// time of a benchmark's process is that of the master alone.
const stockEnv = "MOM_TEST_STOCK"

// herdPlan says what that process plays: it reads a jid a line, has all minions return that
// job, and answers with a line of how long they took.
type herdPlan struct {
	Addr   string
	Key    string // of all sessions
	Tok    []byte
	N      int
	Active int  // minions that return at the same time
	Kept   bool // by one connection each; else one for each return, as a stock minion does
	Size   int  // of a result; 0: that of test.ping
}

// playing plays the minions if this process is for that.
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
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		took, err := s.round(herd, in.Text(), value)
		if err != nil {
			return err
		}
		fmt.Println(took.String())
	}
	return nil
}

// round has all return one job; it gives the median of what a return takes.
func (s herdPlan) round(herd []*benchMinion, jid string, value any) (time.Duration, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	errs, took, ts := make(chan error, s.Active), make([]time.Duration, len(herd)), time.Now().Unix()
	for range s.Active {
		all.Go(func() {
			for i := int(next.Add(1) - 1); i < len(herd); i = int(next.Add(1) - 1) {
				begun := time.Now()
				if err := herd[i].tell(returnOf(herd[i].id, jid, value), ts); err != nil {
					errs <- err
					return
				}
				took[i] = time.Since(begun)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	select {
	case err := <-errs:
		return 0, err
	default:
		return took[len(took)/2], nil
	}
}

func stockID(i int) string { return fmt.Sprintf("m%05d", i) }

// otherMinions is that process, as the benchmark sees it.
type otherMinions struct {
	b   *testing.B
	in  io.WriteCloser
	out *bufio.Scanner
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
	p := &otherMinions{b, in, bufio.NewScanner(out)}
	p.line()
	return p
}

func (p *otherMinions) line() string {
	p.b.Helper()
	if !p.out.Scan() {
		p.b.Fatal("the process of the minions ended")
	}
	return p.out.Text()
}

// all has all minions return a job, and gives the median of what one of them waits.
func (p *otherMinions) all(jid string) time.Duration {
	p.b.Helper()
	if _, err := fmt.Fprintln(p.in, jid); err != nil {
		p.b.Fatal(err)
	}
	d, err := time.ParseDuration(p.line())
	if err != nil {
		p.b.Fatal(err)
	}
	return d
}

// BenchmarkStockReturns has 500 minions in another process return jobs that were given to
// the master, 250 at a time. The processor time is the master's own.
func BenchmarkStockReturns(b *testing.B) {
	const n = 500
	for _, c := range []struct {
		name string
		herd herdPlan
	}{
		{"each", herdPlan{}}, {"kept", herdPlan{Kept: true}}, {"kept1k", herdPlan{Kept: true, Size: 1 << 10}},
	} {
		for _, parent := range []string{"", "parent"} {
			b.Run(fmt.Sprintf("%s/outbox=%v", c.name, parent != ""), func(b *testing.B) {
				r := newRig(b, func(c *config.Master) { c.MaxConnections = 4 * n })
				r.opts.Parent = parent
				s := c.herd
				s.Key, s.Tok, s.N, s.Active = crypt.NewKeyString(), tokOf(b, "minion"), n, n/2
				for i := range n {
					r.accept(stockID(i), "minion")
					r.session(stockID(i), s.Key, time.Now())
				}
				r.start()
				s.Addr = local(r.ret)
				minions := s.start(b)
				var busy, waits time.Duration
				b.ResetTimer()
				for range b.N {
					b.StopTimer()
					jid := r.say(testJob("*", "glob")).Map("load").String("jid")
					begun := cpu(b)
					b.StartTimer()
					waits += minions.all(jid)
					busy += cpu(b) - begun
				}
				b.StopTimer()
				if got := r.stats.Returns.Load(); got != uint64(n*b.N) {
					b.Fatalf("the master has %d returns, want %d", got, n*b.N)
				}
				b.ReportMetric(float64(busy.Nanoseconds())/1000/float64(n*b.N), "cpu-us/return")
				b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "returns/s")
				b.ReportMetric(float64((waits/time.Duration(b.N)).Microseconds())/1000, "p50-ms")
			})
		}
	}
}
