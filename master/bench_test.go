package master

import (
	"database/sql"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

// benchMinion returns jobs as fast as possible over one connection.
type benchMinion struct {
	*swarmtest.Peer
	once func(body []byte) ([]byte, error) // sends one request over a new connection; nil: use the Peer
	id   string
	key  *crypt.Crypticle
	tok  []byte
	buf  []byte
}

func (m *benchMinion) answer(jid string, ts int64) error {
	return m.request(returnOf(m.id, jid, true), ts)
}

// asks encrypts a load as a request.
func (m *benchMinion) asks(load *wire.Map) ([]byte, error) {
	load.Set("id", m.id)
	load.Set("nonce", "0123456789abcdef0123456789abcdef")
	if !load.Has("ts") {
		load.Set("ts", time.Now().Unix())
	}
	load.Set("tok", m.tok)
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	cipher, err := m.key.Seal("", raw)
	if err != nil {
		return nil, err
	}
	return wire.Envelope{Enc: "aes", Cipher: cipher, Version: 3, HasVersion: true, ID: m.id}.Encode()
}

// request sends one encrypted request and decrypts the answer.
func (m *benchMinion) request(load *wire.Map, ts int64) error {
	load.Set("ts", ts)
	body, err := m.asks(load)
	if err != nil {
		return err
	}
	var reply []byte
	if m.once != nil {
		reply, err = m.once(body)
	} else {
		reply, err = m.Do(body, m.buf)
		m.buf = reply
	}
	if err != nil {
		return err
	}
	frame, err := wire.Bytes(reply)
	if err != nil {
		return err
	}
	_, err = m.key.OpenNonce(frame, "0123456789abcdef0123456789abcdef")
	return err
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// herd accepts and connects n minions.
func (r *rig) herd(b *testing.B, n int) []*benchMinion {
	b.Helper()
	text := crypt.NewKeyString()
	out := make([]*benchMinion, n)
	tok := tokOf(b, "minion")
	for i := range out {
		id := fmt.Sprintf("m%05d", i)
		r.accept(id, "minion")
		r.session(id, text, time.Now())
		out[i] = &benchMinion{id: id, key: crypticle(b, text), tok: tok}
	}
	r.start()
	for _, m := range out {
		p, err := swarmtest.Dial(nil, "REQ", local(r.ret))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = p.Close() })
		m.Peer = p
	}
	return out
}

// BenchmarkReturns measures a return from its encryption at the minion to the acknowledgement,
// which follows the commit to disk. Minions and master share this process and its cores.
func BenchmarkReturns(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		for _, parent := range []string{"", "parent"} {
			b.Run(fmt.Sprintf("minions=%d/outbox=%v", n, parent != ""), func(b *testing.B) {
				r := newRig(b)
				r.opts.Parent = parent
				r.race(b, r.herd(b, n))
			})
		}
	}
}

// race makes the minions return b.N jobs together.
func (r *rig) race(b *testing.B, herd []*benchMinion) {
	b.Helper()
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var wg sync.WaitGroup
	ts := time.Now().Unix()
	busy := cpu(b)
	b.ResetTimer()
	for _, m := range herd {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(b.N) {
					return
				}
				// One job per thousand returns, as with a wide target.
				jid := fmt.Sprintf("2026010100%010d", i/int64(len(herd)))
				start := time.Now()
				if err := m.answer(jid, ts); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64((cpu(b)-busy).Microseconds())/float64(b.N), "cpu-us/return")
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "returns/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// cpu returns the processor time of this process, which is steadier than wall time on a shared
// machine.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkReturnsBehindAFullOutbox measures returns while a million rows are pending for an absent
// parent.
func BenchmarkReturnsBehindAFullOutbox(b *testing.B) {
	for _, rows := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			r := newRig(b)
			r.opts.Parent = "parent"
			r.open()
			r.stop() // the file exists now
			fillOutbox(b, r.cfg.JobStoreFile, rows)
			r.race(b, r.herd(b, 100))
		})
	}
}

func fillOutbox(b *testing.B, path string, rows int) {
	b.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 WHERE ? > 0 UNION ALL SELECT i+1 FROM n WHERE i < ?)
		INSERT INTO outbox (dest, kind, jid, id, at) SELECT 'parent', 'return', '20250101000000000000', 'm' || i, i FROM n`, rows, rows)
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPublish measures from the client's command until the last subscriber has the
// publication. The subscribers run in another process.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("subscribers=%d", n), func(b *testing.B) {
			r := newRig(b, func(c *config.Master) { c.MaxConnections, c.OrderMasters = 2*n, true })
			r.start()
			s := swarmtest.Start(b, "SUB", n, local(r.pub))
			eventually(b, "all subscribed", func() bool { return r.ports.Pub.Stats().Subscribers == n })
			load := testJob("nobody", "glob")
			took := make([]time.Duration, 0, b.N)
			for b.Loop() {
				start := time.Now()
				r.say(load)
				s.Await(b, swarmtest.Received)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		})
	}
}

// BenchmarkStart measures from the client's command to the master's answer, when the job is stored
// and published. There are no subscribers.
func BenchmarkStart(b *testing.B) {
	r := newRig(b, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	load := testJob("nobody", "glob")
	took := make([]time.Duration, 0, b.N)
	busy := cpu(b)
	for b.Loop() {
		start := time.Now()
		if r.say(load).Map("load").String("jid") == "" {
			b.Fatal("the job was refused")
		}
		took = append(took, time.Since(start))
	}
	b.ReportMetric(float64((cpu(b)-busy).Microseconds())/float64(b.N), "cpu-us/job")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkMemory measures the master's memory for a connected minion: one subscription and one
// idle request connection.
func BenchmarkMemory(b *testing.B) {
	const n = 5000
	r := newRig(b, func(c *config.Master) { c.MaxConnections = 2 * n })
	r.start()
	before := resident(b)
	swarmtest.Start(b, "SUB", n, local(r.pub))
	swarmtest.Start(b, "REQ", n, local(r.ret))
	eventually(b, "all connected", func() bool {
		s := r.Stats()
		return s.Pub.Subscribers == n && s.Router.Peers == n
	})
	b.ReportMetric(float64(resident(b)-before)/n/1024, "KiB/minion")
	b.ReportMetric(0, "ns/op") // one measurement for any b.N
}

// resident returns the resident memory of this process in bytes, without that of earlier
// benchmarks.
func resident(b *testing.B) int64 {
	b.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// BenchmarkUnseal measures the cost of a return before its handler runs.
func BenchmarkUnseal(b *testing.B) {
	r := newRig(b)
	herd := r.herd(b, 1)
	m := herd[0]
	load := returnOf(m.id, someJob, true)
	load.Set("nonce", "0123456789abcdef0123456789abcdef")
	load.Set("tok", m.tok)
	raw, err := wire.Encode(load)
	if err != nil {
		b.Fatal(err)
	}
	cipher, err := m.key.Seal("", raw)
	if err != nil {
		b.Fatal(err)
	}
	env := wire.Envelope{Enc: "aes", Version: 3, ID: m.id}
	b.ReportAllocs()
	for b.Loop() {
		env.Cipher = append(env.Cipher[:0], cipher...) // decrypted in place
		_, req, err := r.server.Unseal(env)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := wire.ParseReturn(req.Load); err != nil {
			b.Fatal(err)
		}
	}
}
