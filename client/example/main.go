// Momclient shows what a program of another module does with a master by package client:
// it publishes a job and follows it, reads what is stored of it, calls a runner and the
// wheel, and hears events. Run it where a master runs, as a user whose key file it may read:
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
	dir := flag.String("c", "/etc/salt", "folder with the master's configuration")
	target := flag.String("t", "*", "the minions, as a glob")
	timeout := flag.Duration("timeout", time.Minute, "when to give up")
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

// run does one thing after the other with the master of a configuration.
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

// show is the master and where to tell what it says.
type show struct {
	client *client.Client
	out    io.Writer
	target string
	jid    string // of the job that was followed
}

func (s *show) say(format string, args ...any) {
	fmt.Fprintf(s.out, format+"\n", args...) //nolint:errcheck // there is nowhere else to tell
}
