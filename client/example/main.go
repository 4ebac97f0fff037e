// Momclient is an example of a program in another module that uses package client: it publishes
// a job and follows it, reads its stored returns, calls a runner and the wheel, and receives
// events. Run it on the master's machine, as a user who can read his key file there:
//
//	momclient -c /etc/salt -t '*'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/momtree/mom/client"
)

func main() {
	dir := flag.String("c", "/etc/salt", "`directory` of the master's configuration")
	target := flag.String("t", "*", "target, a glob of minion ids")
	timeout := flag.Duration("timeout", time.Minute, "time limit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	if err := run(ctx, os.Stdout, *dir, *target); err != nil {
		fmt.Fprintln(os.Stderr, "momclient:", err)
		os.Exit(1)
	}
}

// run performs the steps one after the other.
func run(ctx context.Context, out io.Writer, dir, target string) (err error) {
	c, err := client.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Ping(ctx); err != nil {
		return err
	}
	s := &show{client: c, out: out, target: target}
	for _, step := range []func(context.Context) error{s.follow, s.lookUp, s.runner, s.startedRunner, s.wheel, s.events, s.refused} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// show holds the master and the output.
type show struct {
	client *client.Client
	out    io.Writer
	target string
	jid    string // of the followed job
}

func (s *show) say(format string, args ...any) {
	fmt.Fprintf(s.out, format+"\n", args...) //nolint:errcheck // no other place to report it
}
