// Package formulas is the command momlab formulas: public formulas compiled by mom's minion and by Salt's.
package formulas

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/formulas"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/test/program"
)

// Command is momlab formulas.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "formulas", Short: "Compile public formulas and sites by mom's minion and by Salt's, as a table",
		Long: "momlab formulas needs an installed Salt in SALT_PEER of the environment.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.StringVar(&o.formulas, "formulas", "", "folder of formulas, each in a `folder` of its own")
	fl.StringVar(&o.sites, "sites", "", "folder of sites (states and pillar), each in a `folder` of its own")
	only := fl.String("only", "", "`names` of formulas or sites, with commas; all by default")
	fl.BoolVar(&o.apply, "apply", false, "apply the states in test runs; by default they are only compiled")
	bare := fl.Bool("no-pillar", false, "leave the pillar.example of the formulas out")
	list := fl.Bool("list", false, "print the addresses of the formulas to fetch, and end")
	fl.DurationVar(&o.limit, "timeout", time.Minute, "`time` for one call")
	fl.StringVar(&o.all, "results", "", "write all that both sides gave to this `file`, as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if *list {
			for _, name := range formulas.Names() {
				fmt.Printf("https://github.com/saltstack-formulas/%s-formula\n", name)
			}
			return nil
		}
		o.only, o.pillar = strings.FieldsFunc(*only, func(r rune) bool { return r == ',' }), !*bare
		return run(cmd.Context(), o)
	}
	return c
}

type options struct {
	formulas, sites, all string
	only                 []string
	apply, pillar        bool
	limit                time.Duration
}

func run(ctx context.Context, o options) error {
	peer := os.Getenv("SALT_PEER")
	if peer == "" || o.formulas == "" && o.sites == "" {
		return errors.New("set SALT_PEER to the folder of an installed Salt, and --formulas or --sites to a folder of such (--list prints formulas to fetch)")
	}
	work, err := os.MkdirTemp("", "f")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	mom := os.Getenv("MOM")
	if mom == "" {
		mom = filepath.Join(work, "mom")
		if err := program.Build(ctx, mom); err != nil {
			return err
		}
	}
	var sets []formulas.Set
	if o.formulas != "" {
		if sets, err = formulas.Formulas(o.formulas, filepath.Join(work, "pillars"), o.only, o.apply, o.pillar); err != nil {
			return err
		}
	}
	if o.sites != "" {
		more, err := formulas.Sites(o.sites, o.only, o.apply)
		if err != nil {
			return err
		}
		sets = append(sets, more...)
	}
	var results []formulas.Result
	for i, s := range sets {
		r, err := compare(ctx, o, s, peer, mom, filepath.Join(work, strconv.Itoa(i))) // short, since sockets would be below it
		if err != nil {
			return err
		}
		results = append(results, r...)
		fmt.Fprintf(os.Stderr, "%s %s: %d calls\n", time.Now().Format(time.TimeOnly), s.Name, len(s.Calls))
		if o.all != "" {
			b, err := json.MarshalIndent(results, "", " ")
			if err == nil {
				err = os.WriteFile(o.all, b, 0o600)
			}
			if err != nil {
				return err
			}
		}
	}
	return formulas.Table(os.Stdout, results)
}

// compare makes the calls of a set at both sides.
func compare(ctx context.Context, o options, s formulas.Set, peer, mom, dir string) (out []formulas.Result, err error) {
	ours := formulas.Ours{Argv: []string{mom, "salt-call"}, Dir: filepath.Join(dir, "ours")}
	theirs := filepath.Join(dir, "salt")
	none := filepath.Join(dir, "none")
	pillar := cmp.Or(s.Pillar, none)
	if err := errors.Join(os.MkdirAll(none, 0o700), formulas.Prepare(ours.Dir, s.States, pillar), formulas.Prepare(theirs, s.States, pillar)); err != nil {
		return nil, err
	}
	var salt *formulas.Salt
	defer func() {
		if salt != nil {
			err = errors.Join(err, salt.Close())
		}
	}()
	for i, c := range s.Calls {
		if salt == nil {
			if salt, err = formulas.StartSalt(ctx, cmp.Or(os.Getenv("PYTHON"), "python3"), peer, theirs); err != nil {
				return out, err
			}
		}
		r := formulas.Result{Of: s.Name, What: s.What[i]}
		limited, cancel := context.WithTimeout(ctx, o.limit)
		r.Salt = salt.Call(limited, c)
		cancel()
		if r.Salt.Lost {
			_ = salt.Close() // it has ended, or has no answer
			salt = nil
		}
		limited, cancel = context.WithTimeout(ctx, o.limit)
		r.Ours = ours.Call(limited, c)
		cancel()
		out = append(out, r)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	return out, nil
}
