package acl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/salt/pyfmt"
)

// kinds are the target types.
var kinds = []string{
	"glob", "pcre", "list", "grain", "grain_pcre", "pillar", "pillar_pcre", "pillar_exact", "compound", "nodegroup", "ipcidr",
}

// flags are the options of mom acl explain.
type flags struct {
	dir           string
	timeout       time.Duration
	out, kind     string
	eauth         string
	groups        []string
	runner, wheel bool

	ret, retConfig, retKwargs string
	executors, executorOpts   string
}

func explainCommand() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "explain USER TARGET FUN [ARG]... | explain USER --runner|--wheel FUN [ARG]...",
		Short: "Show why a user may or may not call a function on a target",
		Long: "Asks the master of this machine how its rules judge a call: which of the user's rules\n" +
			"allows it, or why each does not, and for a target by which minions, tier by tier. It uses\n" +
			"the rules that the running master has read, and publishes nothing.\n\n" +
			"USER is a user of this machine, checked by publisher_acl; sudo_NAME is NAME using sudo. With\n" +
			"--eauth it is a user of that login service, checked by external_auth, with the groups of\n" +
			"--group. TARGET is a glob unless --kind says otherwise. ARG is as for the command\n" +
			"salt: words, and name=value.\n\n" +
			"The master knows the ids of minions below nodes. A rule that depends on their grains or\n" +
			"pillar is applied by their node when it gets the job; these are counted as judged there. The\n" +
			"rules travel with the job. Nodes that do not report their minions, such as Salt's, are not asked.\n\n" +
			"Exit codes: 0 allowed as far as the master knows; 1 refused; 2 no answer from the master; 64 wrong option.",
		Args: func(_ *cobra.Command, words []string) error {
			if err := f.check(words); err != nil {
				return command.Exit(command.ExitUsage, err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error { return f.run(cmd, words) },
	}
	c.Flags().StringVarP(&f.dir, "config-dir", "c", config.DefaultDir(), "directory with the file master")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Second, "how long to wait for the master")
	c.Flags().StringVar(&f.out, "out", "text", "text or json")
	command.Values(c, "out", "text", "json")
	c.Flags().StringVar(&f.kind, "kind", "glob", "type of the target: "+strings.Join(kinds, ", "))
	command.Values(c, "kind", kinds...)
	c.Flags().StringVar(&f.eauth, "eauth", "", "login service that authenticates the user")
	c.Flags().StringArrayVar(&f.groups, "group", nil, "group of the user as reported by the login service; may be repeated")
	c.Flags().BoolVar(&f.runner, "runner", false, "FUN is a runner, without TARGET")
	c.Flags().BoolVar(&f.wheel, "wheel", false, "FUN is a wheel function, without TARGET")
	c.Flags().StringVar(&f.ret, "return", "", "returners of the job, joined by commas")
	c.Flags().StringVar(&f.retConfig, "return_config", "", "configuration that the returners use")
	c.Flags().StringVar(&f.retKwargs, "return_kwargs", "", "options of the returners, a YAML mapping")
	c.Flags().StringVar(&f.executors, "module-executors", "", "executors of the job, a YAML list")
	c.Flags().StringVar(&f.executorOpts, "executor-opts", "", "options of the executors, a YAML mapping")
	return c
}

// check returns an error for arguments that do not fit together.
func (f *flags) check(words []string) error {
	switch {
	case f.runner && f.wheel:
		return errors.New("--runner and --wheel exclude each other")
	case f.special() && len(words) < 2:
		return errors.New("mom acl explain needs a user and a function")
	case !f.special() && len(words) < 3:
		return errors.New("mom acl explain needs a user, a target and a function")
	case f.out != "text" && f.out != "json":
		return fmt.Errorf("--out is %q, must be text or json", f.out)
	case !slices.Contains(kinds, f.kind):
		return fmt.Errorf("--kind %q: unknown; use %s", f.kind, strings.Join(kinds, ", "))
	case f.eauth == "" && len(f.groups) > 0:
		return errors.New("--group needs --eauth")
	case f.special() && f.ret+f.retConfig+f.retKwargs+f.executors+f.executorOpts != "":
		return errors.New("returners and executors need a job on minions")
	}
	return nil
}

// special reports whether the function runs on the master.
func (f *flags) special() bool { return f.runner || f.wheel }

// question returns the arguments of the runner that answers.
func (f *flags) question(words []string) client.RunnerCall {
	ask := map[string]any{"user": words[0], "eauth": f.eauth, "kind": "minions"}
	words = words[1:]
	switch {
	case f.runner:
		ask["kind"] = "runner"
	case f.wheel:
		ask["kind"] = "wheel"
	default:
		ask["tgt"], ask["tgt_type"] = words[0], f.kind
		words = words[1:]
	}
	ask["fun"] = words[0]
	ask["args"], ask["kwargs"] = callargs.Separate(callargs.Parse(words[1:], nil))
	for name, text := range map[string]string{"ret": f.ret, "ret_config": f.retConfig} {
		if text != "" {
			ask[name] = text
		}
	}
	for name, text := range map[string]string{"ret_kwargs": f.retKwargs, "module_executors": f.executors, "executor_opts": f.executorOpts} {
		if text != "" {
			ask[name] = pyfmt.YAMLWord(text)
		}
	}
	groups := make([]any, len(f.groups))
	for i, g := range f.groups {
		groups[i] = g
	}
	ask["groups"] = groups
	return client.RunnerCall{Fun: "acl.explain", Kwargs: ask}
}

func (f *flags) run(cmd *cobra.Command, words []string) (err error) {
	cl, err := client.Open(f.dir)
	if err != nil {
		return command.Exit(command.ExitAway, err)
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	raw, err := cl.CallRunner(ctx, f.question(words))
	if err != nil {
		return command.Exit(command.ExitAway, fmt.Errorf("ask the master: %w", err))
	}
	m, err := raw.Map()
	if err != nil {
		return command.Exit(command.ExitAway, fmt.Errorf("read the master's answer: %w", err))
	}
	v := verdict.FromMap(m)
	if f.out == "json" {
		err = output.Render(cmd.OutOrStdout(), "json", v.Map(), output.Options{})
	} else {
		err = verdict.Draw(cmd.OutOrStdout(), v)
	}
	if err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	if !v.Allowed {
		return command.Exit(command.ExitFailure, nil)
	}
	return nil
}
