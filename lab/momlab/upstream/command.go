// Package upstream is the command momlab upstream: Salt's own test suites against mom.
package upstream

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/upstream"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/test/program"
)

// options are the flags of momlab upstream.
type options struct {
	suites, casts, page, kept, reasons, junit, dir string
	limit                                          time.Duration
	pageOnly                                       bool
}

// Command is momlab upstream.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "upstream", Short: "Run Salt's own test suites against this program; writes docs/reference/upstream.md",
		Long: "momlab upstream needs an unpacked Salt in SALT_PEER, its tests in SALT_TESTS and pytest-salt-factories in\n" +
			"SALT_FACTORIES of the environment. It exits with status 1 if a test fails that has no reason in reasons.tsv.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	var o options
	fl.StringVar(&o.suites, "suite", "", "regular `expression` of the suites to run; empty: all")
	fl.StringVar(&o.casts, "cast", "", "regular `expression` of the casts to run; empty: all")
	fl.StringVar(&o.page, "page", "docs/reference/upstream.md", "`file` of the page")
	fl.StringVar(&o.kept, "results", "lab/upstream/testdata/results.json", "`file` of the results; those of other suites stay")
	fl.StringVar(&o.reasons, "reasons", "lab/upstream/reasons.tsv", "`file` of the reasons")
	fl.DurationVar(&o.limit, "limit", time.Hour, "bounds each suite")
	fl.StringVar(&o.junit, "junit", "", "take the results from this `file` of pytest and run nothing; --suite and --cast say of what")
	fl.StringVar(&o.dir, "dir", "", "scratch `folder`, with a short path since sockets are below it; empty: a new one")
	fl.BoolVar(&o.pageOnly, "page-only", false, "write the page from the results and run nothing")
	c.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) }
	return c
}

func run(ctx context.Context, o options) error {
	wanted, err := regexp.Compile(o.suites)
	if err != nil {
		return err
	}
	by, err := regexp.Compile(o.casts)
	if err != nil {
		return err
	}
	reasons, err := upstream.ReadReasons(o.reasons)
	if err != nil {
		return err
	}
	results, err := upstream.ReadResults(o.kept)
	if err != nil {
		return err
	}
	if o.junit != "" {
		b, err := os.ReadFile(o.junit)
		if err != nil {
			return err
		}
		tests, err := upstream.ParseJUnit(b)
		if err != nil {
			return err
		}
		results.Put(upstream.Run{Cast: o.casts, Suite: o.suites, Salt: filepath.Base(os.Getenv("SALT_PEER")), Tests: tests})
		if err := results.Write(o.kept); err != nil {
			return err
		}
	} else if !o.pageOnly {
		if err := runAll(ctx, &results, wanted, by, o.limit, o.kept, o.dir); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := upstream.WritePage(&b, results, reasons); err != nil {
		return err
	}
	if err := os.WriteFile(o.page, b.Bytes(), 0o644); err != nil {
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
		return fmt.Errorf("%d tests fail without a reason in %s", unexplained, o.reasons)
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
			if s.New && !c.Has(s) {
				fmt.Printf("%s, %s: left out: only Salt 3008 has these tests\n", s.Name, cast.Name)
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
