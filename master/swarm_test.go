package master

import (
	"bufio"
	"encoding/binary"
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

	"github.com/momtree/mom/master/door"
)

// swarmVar makes a test binary play many peers instead of testing: "type n port".
// They live in a process of their own, so that the master's memory and
// descriptors can be told from theirs.
const swarmVar = "MASTER_TEST_SWARM"

// playSwarm connects n peers, prints "connected", and then "received" each time
// all of them have got one more message. It ends with its standard input.
func playSwarm(job []string) error {
	kind := job[0]
	n, err := strconv.Atoi(job[1])
	if err != nil {
		return err
	}
	var got atomic.Int64
	var dialling sync.WaitGroup
	failed := make(chan error, n)
	gate := door.NewTurns(32)
	for i := range n {
		dialling.Add(1)
		gate.Take()
		go func() {
			// Each from an address of its own among 127.1.0.0/16.
			from := net.IPv4(127, 1, byte(i/250), byte(1+i%250))
			p, err := dialRaw(from, kind, job[2])
			gate.Give()
			if err != nil {
				failed <- err
			}
			dialling.Done()
			for err == nil {
				if err = p.skip(); err == nil && got.Add(1)%int64(n) == 0 {
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

// rawPeer speaks just enough ZMTP to cost little itself.
type rawPeer struct {
	net.Conn
	in *bufio.Reader
}

func dialRaw(from net.IP, kind, port string) (*rawPeer, error) {
	d := net.Dialer{}
	if from != nil {
		d.LocalAddr = &net.TCPAddr{IP: from}
	}
	c, err := d.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		return nil, err
	}
	hello := opening(kind)
	if kind == "SUB" {
		hello = append(hello, 0, 1, 1) // everything
	}
	if _, err := c.Write(hello); err != nil {
		return nil, err
	}
	p := &rawPeer{c, bufio.NewReaderSize(c, 2<<10)}
	if _, err := p.in.Discard(64); err != nil {
		return nil, err
	}
	_, command, err := p.header()
	if err == nil && !command {
		err = fmt.Errorf("no READY from the master")
	}
	return p, err
}

// header reads a frame's header, and passes over the body of a command.
func (p *rawPeer) header() (size int, command bool, err error) {
	flags, err := p.in.ReadByte()
	if err != nil {
		return 0, false, err
	}
	var long [8]byte
	n := 1
	if flags&2 != 0 {
		n = 8
	}
	if _, err := io.ReadFull(p.in, long[8-n:]); err != nil {
		return 0, false, err
	}
	size = int(binary.BigEndian.Uint64(long[:]))
	if flags&4 == 0 {
		return size, false, nil
	}
	_, err = p.in.Discard(size)
	return 0, true, err
}

// skip waits for a message of one frame.
func (p *rawPeer) skip() error {
	for {
		n, command, err := p.header()
		if err != nil || !command {
			if err == nil {
				_, err = p.in.Discard(n)
			}
			return err
		}
	}
}

// do makes one request and gives the reply's body.
func (p *rawPeer) do(body, into []byte) ([]byte, error) {
	b := append(into[:0], 1, 0, 2)
	b = binary.BigEndian.AppendUint64(b, uint64(len(body)))
	if _, err := p.Write(append(b, body...)); err != nil {
		return nil, err
	}
	for frames := 0; ; {
		n, command, err := p.header()
		if err != nil {
			return nil, err
		}
		if command {
			continue
		}
		if frames++; frames == 2 {
			b = append(b[:0], make([]byte, n)...)
			_, err := io.ReadFull(p.in, b)
			return b, err
		}
	}
}

// swarm is the other process.
type swarm struct {
	in    io.Closer
	lines *bufio.Scanner
}

func startSwarm(b *testing.B, kind string, n, port int) *swarm {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", swarmVar, kind, n, port))
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

// await waits for a word of the swarm.
func (s *swarm) await(b *testing.B, word string) {
	b.Helper()
	if !s.lines.Scan() || s.lines.Text() != word {
		b.Fatalf("the swarm said %q, want %q", s.lines.Text(), word)
	}
}

// playing tells whether this process is a swarm, having played it.
func playing() bool {
	job := os.Getenv(swarmVar)
	if job == "" {
		return false
	}
	if err := playSwarm(strings.Fields(job)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}
