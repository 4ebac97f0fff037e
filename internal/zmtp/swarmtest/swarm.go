package swarmtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

const (
	// variable makes a test binary run many peers instead of tests: "kind n addr".
	variable = "ZMTP_SWARM"
	// dialling is the number of peers that connect concurrently.
	dialling = 32
)

// The messages of the other process.
const (
	connected = "connected"
	// Received is printed each time all peers have received one more message.
	Received = "received"
)

// Playing reports whether this process is a swarm, after it has run as one. A TestMain of tests
// that use [Start] calls it first, and returns if it is true.
func Playing() bool {
	job := os.Getenv(variable)
	if job == "" {
		return false
	}
	if err := play(strings.Fields(job)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// play ends when its standard input ends.
func play(job []string) error {
	kind, addr := job[0], job[2]
	n, err := strconv.Atoi(job[1])
	if err != nil {
		return err
	}
	var got atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, n)
	gate := make(chan struct{}, dialling)
	for i := range n {
		all.Add(1)
		gate <- struct{}{}
		go func() {
			p, err := Dial(FromMany(i), kind, addr)
			<-gate
			if err != nil {
				failed <- err
			}
			all.Done()
			for err == nil {
				if err = p.Skip(); err == nil && got.Add(1)%int64(n) == 0 {
					fmt.Println(Received)
				}
			}
		}()
	}
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	fmt.Println(connected)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// Swarm is the other process.
type Swarm struct{ lines *bufio.Scanner }

// Start connects n peers of a kind to an address of this machine, and returns when all are
// connected. They end with the test.
func Start(tb testing.TB, kind string, n int, addr string) *Swarm {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", variable, kind, n, addr))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	s := &Swarm{bufio.NewScanner(out)}
	s.Await(tb, connected)
	return s
}

// Await waits for the next message of the swarm, which must be word.
func (s *Swarm) Await(tb testing.TB, word string) {
	tb.Helper()
	if !s.lines.Scan() || s.lines.Text() != word {
		tb.Fatalf("the swarm said %q, want %q", s.lines.Text(), word)
	}
}
