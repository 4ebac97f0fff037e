// Command runs plays package matrix with the Salts of SALT_PEER, SALT_PEER3 and SALT_PEER8 and writes
// what came of it. It exits with status 1 when a cell is not as asked and no note says why.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/momtree/mom/test/matrix"
	"github.com/momtree/mom/test/peers"
	"github.com/momtree/mom/test/program"
)

type options struct {
	program, dir, net, file, only string
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "", "a built mom (default: build it)")
	flag.StringVar(&o.dir, "dir", "", "folder for the worlds, with a short name; logs of those that failed stay there (default: a new one in the temporary folder)")
	flag.StringVar(&o.net, "net", "127.52", "the first two bytes of the loopback addresses")
	flag.StringVar(&o.file, "json", "test/matrix/testdata/matrix.json", "put the figures into this file, in the place of those of before")
	flag.StringVar(&o.only, "only", "", `play the pairings of this name alone, such as "mom – Salt 3006", or those beginning so with a final *; - stands for –`)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := play(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// play plays the matrix and tells whether each cell is as asked or has its note.
func play(ctx context.Context, o options) (ok bool, err error) {
	salts, err := peers.Find()
	if err != nil {
		return false, err
	}
	if len(salts) < 2 {
		return false, errors.New("SALT_PEER3 is not set: give the folder of an installed Salt that speaks version 3 of the request protocol (3006.12, 3007.4 or newer), beside SALT_PEER, which is of version 2")
	}
	eighth, err := peers.Find8()
	if err != nil {
		return false, err
	}
	if eighth == nil {
		return false, errors.New("SALT_PEER8 is not set: give the folder of an installed Salt 3008")
	}
	salts = append(salts, eighth)
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "mx"); err != nil {
			return false, err
		}
		defer os.Remove(o.dir) // logs stay
	} else if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return false, err
	}
	if o.program == "" {
		o.program = filepath.Join(o.dir, "mom")
		defer os.Remove(o.program)
		if err := program.Build(ctx, o.program); err != nil {
			return false, err
		}
	}
	began := time.Now()
	opt := matrix.Options{
		Program: o.program, Dir: o.dir, Net: o.net, Mom: commit(ctx),
		Say: func(format string, args ...any) {
			fmt.Printf("%7.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
	if o.only != "" {
		name, more := strings.CutSuffix(strings.ReplaceAll(o.only, " - ", " – "), "*")
		opt.Only = func(p matrix.Pairing) bool {
			return p.Name() == name || more && strings.HasPrefix(p.Name(), name)
		}
	}
	r, err := matrix.Play(ctx, opt, salts)
	if err != nil {
		return false, err
	}
	if len(r.Tables) == 0 {
		return false, fmt.Errorf("-only %q: there is no such pairing", o.only)
	}
	faults := r.Faults()
	for _, f := range faults {
		fmt.Println("FAULT:", f)
	}
	before, err := matrix.Read(o.file)
	if err == nil {
		err = before.Merge(r).Write(o.file)
	}
	return len(faults) == 0, err
}

// commit is what is built, as git names it; "" outside a checkout.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=7").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
