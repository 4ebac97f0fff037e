package strangers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	many = 1024
	// mostMemory is what the process may have at most, in MiB.
	mostMemory = 250
	// mostHealth is what /health may take.
	mostHealth = 100 * time.Millisecond
)

// body is what a stranger sends.
type body struct{ kind, text string }

// worst are bodies that cost much when they are decoded: those of 1 MiB, and as much as a
// stranger may send.
func worst() map[string]body {
	const all = 1 << 20
	const json, yaml = "application/json", "application/x-yaml"
	list := func(item string, size int) string {
		return "[" + strings.Repeat(item+",", (size-len(item)-2)/(len(item)+1)) + item + "]"
	}
	keys := func(form, sep string, size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size-20; i++ {
			fmt.Fprintf(&b, form+sep, i)
		}
		return strings.TrimSuffix(b.String(), sep)
	}
	return map[string]body{
		"json-empty": {json, list("[]", all)}, "json-map": {json, list("{}", all)}, "json-zero": {json, list("0", all)},
		"json-keys": {json, "{" + keys(`"%x":0`, ",", all) + "}"}, "json-deep": {json, strings.Repeat("[", all/2) + strings.Repeat("]", all/2)},
		"yaml-lines": {yaml, strings.Repeat("- 0\n", all/4)}, "yaml-empty": {yaml, list("[]", all)}, "yaml-q": {yaml, strings.Repeat("? ", all/2)},
		"yaml-keys": {yaml, keys("%x: 0", "\n", all)}, "yaml-deep": {yaml, strings.Repeat("[", all/2) + strings.Repeat("]", all/2)},
		"plain": {"text/plain", list("[]", all-1) + ","}, "form": {"application/x-www-form-urlencoded", keys("a=%d", "&", all)},
		"small json-empty": {json, list("[]", 6000)}, "small json-text": {json, `["` + strings.Repeat("a", 65000) + `"]`}, "small json-zero": {json, list("0", 4090)},
		"small yaml-lines": {yaml, strings.Repeat("- 0\n", 1000)}, "small yaml-deep": {yaml, strings.Repeat("[", 2000) + strings.Repeat("]", 2000)},
		"small yaml-text": {yaml, "a: " + strings.Repeat("b", 16000)}, "small yaml-alias": {yaml, aliases()},
		"64k json-zero": {json, list("0", 65000)}, "64k yaml-lines": {yaml, strings.Repeat("- 0\n", 16000)}, "16k yaml-lines": {yaml, strings.Repeat("- 0\n", 4000)},
	}
}

// aliases is a document of 2^20 values in a few lines.
func aliases() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := range 19 {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return b.String()
}

// TestMemory sends the worst bodies that are known, 1,024 at once from eight addresses, to
// every path that takes a body of a stranger; in `make slow` four times.
func TestMemory(t *testing.T) {
	for name, inside := range map[string]bool{"mom api": false, "api in the master": true} {
		t.Run(name, func(t *testing.T) {
			l := start(t, inside)
			before := l.memory("VmRSS")
			bodies := worst()
			kinds := slices.Sorted(maps.Keys(bodies))
			statuses := newTally()
			w := l.during(func() {
				for round := range rounds {
					var wg sync.WaitGroup
					for i := range many {
						b := bodies[kinds[(i+round)%len(kinds)]]
						path := []string{"/run", "/login", "/token", "/", "/keys"}[i%5]
						wg.Go(func() { statuses.add(l.post(fmt.Sprintf("127.27.0.%d", 1+i%8), path, b)) })
					}
					wg.Wait()
				}
			})
			l.report(t, before, w, statuses)
		})
	}
}

// TestSlowBodies holds 1,024 bodies open that do not arrive, all but the last byte of what a
// stranger may send, from one address and from eight.
func TestSlowBodies(t *testing.T) {
	for name, inside := range map[string]bool{"mom api": false, "api in the master": true} {
		t.Run(name, func(t *testing.T) {
			l := start(t, inside)
			before := l.memory("VmRSS")
			for addresses, size := range map[int]int{1: 1000, 8: 64 << 10} {
				var wg sync.WaitGroup
				hold := make(chan struct{})
				w := l.during(func() {
					for i := range many {
						c := l.open(fmt.Sprintf("127.27.1.%d", 1+i%addresses))
						if c == nil {
							continue
						}
						wg.Go(func() {
							defer c.Close()
							head := fmt.Sprintf("POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
							_, _ = io.WriteString(c, head+strings.Repeat(" ", size-1)) // it may be refused before
							<-hold
						})
					}
					if status, took := l.login(t.Context(), "127.0.0.1", "admin", "adminpw"); status != http.StatusOK {
						t.Errorf("a login among slow bodies of %d addresses: %d after %v", addresses, status, took)
					}
				})
				close(hold)
				wg.Wait()
				l.report(t, before, w, nil)
			}
		})
	}
}

// TestLogins guesses without pause from changing addresses, while a user logs in whom the API
// knows from the address.
func TestLogins(t *testing.T) {
	for name, inside := range map[string]bool{"mom api": false, "api in the master": true} {
		t.Run(name, func(t *testing.T) {
			l := start(t, inside)
			if status, _ := l.login(t.Context(), "127.0.0.1", "admin", "adminpw"); status != http.StatusOK {
				t.Fatalf("the first login: %d", status)
			}
			before := l.memory("VmRSS")
			statuses, in := newTally(), 0
			var worst time.Duration
			w := l.during(func() {
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				var serial atomic.Int64
				for range 256 {
					wg.Go(func() {
						for ctx.Err() == nil {
							k := serial.Add(1)
							status, _ := l.login(ctx, fmt.Sprintf("127.28.%d.%d", k/250%250, 1+k%250), fmt.Sprint("guess", k), "x")
							statuses.add(status)
						}
					})
				}
				tick := time.NewTicker(100 * time.Millisecond)
				defer tick.Stop()
				for range tries {
					<-tick.C
					status, took := l.login(t.Context(), "127.0.0.1", "admin", "adminpw")
					worst = max(worst, took)
					if status == http.StatusOK && took < 2*time.Second {
						in++
					}
				}
				cancel()
				wg.Wait()
			})
			t.Logf("%d of %d right logins in time, the slowest after %v", in, tries, worst)
			if in < tries*95/100 {
				t.Errorf("%d of %d right logins were answered within 2 s", in, tries)
			}
			l.report(t, before, w, statuses)
		})
	}
}

func (l *lab) report(t *testing.T, before int, w *watched, statuses *tally) {
	t.Helper()
	t.Logf("memory %d MiB before, %d at most; /health %d times, median %v, 95 %% %v, worst %v, %d failed; %v",
		before, max(w.most, l.memory("VmHWM")), len(w.health), w.of(0.5).Round(time.Millisecond/10), w.of(0.95).Round(time.Millisecond/10), w.of(1).Round(time.Millisecond/10), w.failed, statuses)
	if m := max(w.most, l.memory("VmHWM")); m > mostMemory {
		t.Errorf("%d MiB, more than %d", m, mostMemory)
	}
	if w.failed > 0 || w.of(0.5) > mostHealth {
		t.Errorf("/health failed %d times, and took %v", w.failed, w.of(0.5))
	}
}

// open connects from an address; nil where that is refused.
func (l *lab) open(from string) net.Conn {
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}).Dial("tcp", l.addr)
	if err != nil {
		return nil
	}
	return c
}

// post sends a body; 0 for one that was cut off.
func (l *lab) post(from, path string, b body) int {
	resp, err := client(from, patience).Post("http://"+l.addr+path, b.kind, bytes.NewReader([]byte(b.text)))
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // its status counts
	return resp.StatusCode
}

// tally counts statuses.
type tally struct {
	mu sync.Mutex
	n  map[int]int
}

func newTally() *tally { return &tally{n: map[int]int{}} }

func (t *tally) add(status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n[status]++
}

func (t *tally) String() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprint(t.n)
}
