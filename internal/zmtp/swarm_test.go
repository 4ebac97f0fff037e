package zmtp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

// swarmVar makes a test binary play many peers instead of testing: "type n addr".
// They live in a process of their own so that both sides have enough
// descriptors, and so that the server's memory can be told from theirs.
const swarmVar = "ZMTP_TEST_SWARM"

func TestMain(m *testing.M) {
	if job := os.Getenv(swarmVar); job != "" {
		if err := playSwarm(strings.Fields(job)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// playSwarm connects n peers, prints "connected", and then "received" each time
// all of them have got one more message. It ends with its standard input.
func playSwarm(job []string) error {
	kind, addr := job[0], job[2]
	n, err := strconv.Atoi(job[1])
	if err != nil {
		return err
	}
	var got atomic.Int64
	var dialling sync.WaitGroup
	failed := make(chan error, n)
	gate := make(chan struct{}, 32)
	for i := range n {
		dialling.Add(1)
		gate <- struct{}{}
		go func() {
			c, in, err := swarmPeer(kind, addr, i)
			<-gate
			dialling.Done()
			if err != nil {
				failed <- err
				return
			}
			defer c.Close()
			for {
				p := rawPeer{c, in}
				h, err := p.skipFrame()
				if err != nil {
					return
				}
				if !h.command() && got.Add(1)%int64(n) == 0 {
					fmt.Println("received")
				}
			}
		}()
	}
	dialling.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	fmt.Println("connected")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// swarmPeer connects from an address of its own among 127.1.0.0/16.
func swarmPeer(kind, addr string, i int) (net.Conn, *bufio.Reader, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 1, byte(i/250), byte(1+i%250))}}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	hello := append(greeting(1), readyFrame(kind, "")...)
	if kind == "SUB" {
		hello = append(hello, message("\x01")...)
	}
	if _, err := c.Write(hello); err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(c, 2<<10)
	if _, err := in.Discard(greetingSize); err != nil {
		return nil, nil, err
	}
	_, err = (&rawPeer{c, in}).skipFrame()
	return c, in, err
}

// skipFrame reads a frame without keeping it.
func (p *rawPeer) skipFrame() (header, error) {
	b, err := p.in.Peek(1)
	if err != nil {
		return header{}, err
	}
	if b, err = p.in.Peek(headerSize(b[0])); err != nil {
		return header{}, err
	}
	h, err := parseHeader(b)
	if err == nil {
		_, err = p.in.Discard(len(b) + int(h.size))
	}
	return h, err
}

// swarm is the other process.
type swarm struct {
	in    io.Closer
	lines *bufio.Scanner
}

func startSwarm(b *testing.B, kind string, n int, addr net.Addr) *swarm {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", swarmVar, kind, n, addr))
	cmd.Stderr = os.Stderr
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
	s := &swarm{in: in, lines: bufio.NewScanner(out)}
	s.await(b, "connected")
	return s
}

func (s *swarm) await(b *testing.B, word string) {
	b.Helper()
	if !s.lines.Scan() || s.lines.Text() != word {
		b.Fatalf("swarm says %q, want %q", s.lines.Text(), word)
	}
}
