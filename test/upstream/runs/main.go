// Command runs runs Salt's test suites against mom and writes docs/upstream.md. See package
// upstream. It exits 1 if a test fails that has no reason in reasons.tsv.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"github.com/momtree/mom/test/program"
	"github.com/momtree/mom/test/upstream"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run() error {
	suites := flag.String("suite", "", "regular `expression` of the suites to run; empty: all")
	casts := flag.String("cast", "", "regular `expression` of the casts to run; empty: all")
	page := flag.String("page", "docs/upstream.md", "`file` of the page")
	kept := flag.String("results", "test/upstream/testdata/results.json", "`file` of the results; those of other suites stay")
	reasonsFile := flag.String("reasons", "test/upstream/reasons.tsv", "`file` of the reasons")
	limit := flag.Duration("limit", time.Hour, "bounds each suite")
	junit := flag.String("junit", "", "take the results from this `file` of pytest and run nothing; -suite and -cast say of what")
	dir := flag.String("dir", "", "scratch `folder`, with a short path since sockets are below it; empty: a new one")
	only := flag.Bool("page-only", false, "write the page from the results and run nothing")
	flag.Parse()
	wanted, err := regexp.Compile(*suites)
	if err != nil {
		return err
	}
	by, err := regexp.Compile(*casts)
	if err != nil {
		return err
	}
	reasons, err := upstream.ReadReasons(*reasonsFile)
	if err != nil {
		return err
	}
	results, err := upstream.ReadResults(*kept)
	if err != nil {
		return err
	}
	if *junit != "" {
		b, err := os.ReadFile(*junit)
		if err != nil {
			return err
		}
		tests, err := upstream.ParseJUnit(b)
		if err != nil {
			return err
		}
		results.Put(upstream.Run{Cast: *casts, Suite: *suites, Salt: filepath.Base(os.Getenv("SALT_PEER")), Tests: tests})
		if err := results.Write(*kept); err != nil {
			return err
		}
	} else if !*only {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := runAll(ctx, &results, wanted, by, *limit, *kept, *dir); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := upstream.WritePage(&b, results, reasons); err != nil {
		return err
	}
	if err := os.WriteFile(*page, b.Bytes(), 0o644); err != nil {
		return err
	}
	unexplained := 0
	for _, r := range results.Runs {
		for _, t := range r.Tests {
			if _, ok := upstream.Find(reasons, r.Cast, t.Name); t.Outcome == upstream.Failed && !ok {
				fmt.Printf("%s: %s: %s\n", r.Cast, t.Name, t.Text)
				unexplained++
			}
		}
	}
	if unexplained > 0 {
		return fmt.Errorf("%d tests fail without a reason in %s", unexplained, *reasonsFile)
	}
	return nil
}

// runAll runs the suites and keeps the results after each.
func runAll(ctx context.Context, results *upstream.Results, suites, casts *regexp.Regexp, limit time.Duration, kept, dir string) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "up"); err != nil {
			return err
		}
	}
	c := upstream.Config{
		Mom: os.Getenv("MOM"), Salt: os.Getenv("SALT_PEER"), Salt8: os.Getenv("SALT_PEER8"), Tests: os.Getenv("SALT_TESTS"), Factories: os.Getenv("SALT_FACTORIES"),
		Python: os.Getenv("PYTHON"), Dir: dir, Limit: limit,
	}
	if c.Mom == "" {
		c.Mom = filepath.Join(dir, "mom")
		if err := program.Build(ctx, c.Mom); err != nil {
			return err
		}
	}
	if err := c.Check(); err != nil {
		return err
	}
	for _, s := range upstream.Suites() {
		for _, cast := range upstream.Casts() {
			if !suites.MatchString(s.Name) || !casts.MatchString(cast.Name) || !s.In(cast.Name) {
				continue
			}
			if len(cast.Eighth) > 0 && c.Salt8 == "" {
				fmt.Printf("%s, %s: left out: SALT_PEER8 is not set\n", s.Name, cast.Name)
				continue
			}
			began := time.Now()
			run, err := c.Run(ctx, s, cast)
			if err != nil {
				return err
			}
			n := run.Count()
			fmt.Printf("%s, %s: %d passed, %d failed, %d skipped in %v\n", s.Name, cast.Name, n[upstream.Passed], n[upstream.Failed], n[upstream.Skipped],
				time.Since(began).Round(time.Second))
			results.Put(run)
			if err := results.Write(kept); err != nil {
				return err
			}
		}
	}
	fmt.Println("logs:", dir)
	return nil
}
