package matrix

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/lab/peers"
)

// Check is a check of a command or an API beside the top.
type Check struct {
	Name string
	// About describes the expected result.
	About string
	// of reports for which kinds the check applies; nil: all.
	of  func(kind) bool
	ask func(context.Context, *beside) error
}

// checks returns the checks by kind of column.
func checks() []struct {
	of     string
	checks []Check
} {
	return []struct {
		of     string
		checks []Check
	}{{OfCommands, Commands()}, {OfAPI, APIs()}}
}

// beside is a command line or API that runs beside the top of a world.
type beside struct {
	*world
	salt  *peers.Salt // nil: ours
	kind  kind
	token string // of the API
	jid   string // job id of its last async job
}

// Commands returns the checks of the command line of another kind, run on the host of the top with
// its configuration.
func Commands() []Check {
	return []Check{
		{"salt", "`test.ping` of all, exit 0", nil, func(ctx context.Context, b *beside) error {
			return b.printed(ctx, 0, all(b.world, true), "salt", "--static", "-L", b.target(), "test.ping")
		}},
		{"salt -G", "by a grain", nil, func(ctx context.Context, b *beside) error {
			return b.printed(ctx, 0, all(b.world, true), "salt", "--static", "-G", "kernel:Linux", "test.ping")
		}},
		{"salt, failing", "exit 1 for a command that fails", nil, func(ctx context.Context, b *beside) error {
			return b.printed(ctx, 1, all(b.world, "no"), "salt", "-L", b.target(), "cmd.run", "echo no; exit 3", "python_shell=True")
		}},
		{"state.apply", "states, printed", nil, func(ctx context.Context, b *beside) error {
			r, err := b.run(ctx, "salt", "--out=highstate", "-L", b.target(), "state.apply", "plain")
			if err == nil && (r.Code != 0 || strings.Count(r.Out, "Succeeded: 1") != len(b.Minions)) {
				err = fmt.Errorf("exit %d: %s", r.Code, r.Text())
			}
			return err
		}},
		{"salt --async", "a jid", nil, func(ctx context.Context, b *beside) error {
			r, err := b.run(ctx, "salt", "--async", "-L", b.target(), "test.echo", "later")
			if err != nil {
				return err
			}
			_, jid, ok := strings.Cut(strings.TrimSpace(r.Out), "Executed command with job ID: ")
			if b.jid = jid; !ok || r.Code != 0 {
				return fmt.Errorf("exit %d: %s", r.Code, r.Text())
			}
			return nil
		}},
		{"jobs.lookup_jid", "`salt-run`, the results of that job", nil, func(ctx context.Context, b *beside) error {
			return b.settled(ctx, func() error {
				return b.printed(ctx, 0, all(b.world, "later"), "salt-run", "jobs.lookup_jid", b.jid)
			})
		}},
		{"manage.up", "`salt-run`, all minions", nil, func(ctx context.Context, b *beside) error {
			r, err := b.run(ctx, "salt-run", "--out=txt", "manage.up")
			if err != nil {
				return err
			}
			for _, id := range b.all() {
				if !strings.Contains(r.Out, id) {
					return fmt.Errorf("%s is not up: exit %d: %s", id, r.Code, r.Text())
				}
			}
			return nil
		}},
		{"salt-key", "`-L`, all keys", nil, func(ctx context.Context, b *beside) error {
			r, err := b.run(ctx, "salt-key", "--out=json", "-L")
			if err != nil {
				return err
			}
			for _, id := range b.all() {
				if !strings.Contains(r.Out, `"`+id+`"`) {
					return fmt.Errorf("no key of %s: exit %d: %s", id, r.Code, r.Text())
				}
			}
			return nil
		}},
		{"salt -b 1", "every minion runs once, exit 0; all under one job id where the command is ours or of Salt 3008", nil, func(ctx context.Context, b *beside) error {
			mark := b.top.Events.Mark()
			err := b.printed(ctx, 0, all(b.world, "slice"), "salt", "--static", "-b", "1", "-L", b.target(), "test.echo", "slice")
			if err != nil {
				return err
			}
			return b.slices(mark, "slice", newer(b.kind)).err()
		}},
		{"salt -b 1 --async", "the same, driven by the master after the command has ended", newer, func(ctx context.Context, b *beside) error {
			mark := b.top.Events.Mark()
			if err := handOver(ctx, b.world, b.salt); err != nil {
				return err
			}
			return b.settled(ctx, func() error { return b.slices(mark, "handed", true).err() })
		}},
		{"--start-event", "`salt/job/<jid>/start/<id>` of each minion that knows it", newer, func(ctx context.Context, b *beside) error {
			mark := b.world.low.Events.Mark()
			jid, err := b.async(ctx, b.salt, "--start-event", "-L", b.target(), "test.echo", "began")
			if err != nil {
				return err
			}
			v := b.started(ctx, mark, jid)
			for k := range v {
				if !newer(k) {
					delete(v, k)
				}
			}
			return v.err()
		}},
	}
}

// newer reports whether a program is mom or Salt 3008: these have `--start-event`, and batches under
// one job id that a master drives.
func newer(k kind) bool { return k == mom || k == salt8 }

// asked reports whether a check applies to a kind.
func (c Check) asked(k kind) bool { return c.of == nil || c.of(k) }

func (b *beside) run(ctx context.Context, name string, args ...string) (peers.Result, error) {
	return b.top.Run(ctx, b.salt, name, args...)
}

// printed runs a command that prints JSON, and checks its output and exit status.
func (b *beside) printed(ctx context.Context, code int, want map[string]any, name string, args ...string) error {
	r, err := b.run(ctx, name, append([]string{"--out=json"}, args...)...)
	if err != nil {
		return err
	}
	got, err := r.JSON()
	if err != nil {
		return err
	}
	if said := like(got, want); said != "" || r.Code != code {
		return fmt.Errorf("exit %d, want %d: %s %s", r.Code, code, said, r.ErrOut)
	}
	return nil
}

// settled repeats a check for a while, for results that arrive later.
func (b *beside) settled(ctx context.Context, ask func() error) error {
	var last error
	again(ctx, patience/4, func() verdicts {
		if last = ask(); last != nil {
			return verdicts{b.kind: last.Error()}
		}
		return nil
	})
	return last
}

// all returns a map with one value for each minion.
func all(w *world, v any) map[string]any {
	out := map[string]any{}
	for _, id := range w.all() {
		out[id] = v
	}
	return out
}
