// Command runs compares public formulas between this project's minion and Salt's (make formulas).
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
	"time"

	"github.com/momtree/mom/test/formulas"
)

func main() {
	dir := flag.String("formulas", "", "folder of formulas, each in a folder of its own")
	only := flag.String("only", "", "names of formulas, with commas; all by default")
	apply := flag.Bool("apply", false, "run state.apply test=True in place of state.show_sls")
	list := flag.Bool("list", false, "print the addresses of the formulas to fetch, and end")
	limit := flag.Duration("timeout", time.Minute, "time for one SLS")
	flag.Parse()
	if *list {
		for _, name := range formulas.Names() {
			fmt.Printf("https://github.com/saltstack-formulas/%s-formula\n", name)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, *only, *apply, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "formulas:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, only string, apply bool, limit time.Duration) error {
	peer := os.Getenv("SALT_PEER")
	if peer == "" || dir == "" {
		return errors.New("set SALT_PEER to the folder of an installed Salt, and -formulas to a folder of formulas (-list prints which to fetch)")
	}
	all, err := formulas.Collect(dir, strings.FieldsFunc(only, func(r rune) bool { return r == ',' }))
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "formulas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	mom := filepath.Join(work, "mom")
	build := exec.CommandContext(ctx, "go", "build", "-o", mom, "./mom")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build mom: %w", err)
	}
	salt := formulas.Side{Argv: []string{filepath.Join(peer, "bin", "salt-call")}, Dir: filepath.Join(work, "salt")}
	ours := formulas.Side{Argv: []string{mom, "salt-call"}, Dir: filepath.Join(work, "ours")}
	var results []formulas.Result
	for _, f := range all {
		if err := errors.Join(salt.Prepare(f), ours.Prepare(f)); err != nil {
			return err
		}
		for _, sls := range f.SLS {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r := formulas.Result{Formula: f.Name, SLS: sls}
			each := func(s formulas.Side) formulas.Outcome {
				ctx, cancel := context.WithTimeout(ctx, limit)
				defer cancel()
				return s.Run(ctx, sls, apply)
			}
			r.Salt, r.Ours = each(salt), each(ours)
			results = append(results, r)
		}
		fmt.Fprintf(os.Stderr, "%s: %d SLS\n", f.Name, len(f.SLS))
	}
	return formulas.Table(os.Stdout, results)
}
