package orchestrate

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/master/runners"
)

const shared = `
saltenv : base
    The environment.
test
    Report the changes without making them, here and on minions.
exclude
    SLS files and states to leave out.
pillar
    A mapping merged over the pillar of the master.
pillarenv
    The pillar environment.
pillar_enc
    Not supported: pillar data of a command line is not decrypted.
orchestration_jid
    Must be empty: the id of the call is used.
`

func init() {
	sls := []string{"mods", "saltenv=", "test=", "exclude=", "pillar=", "pillarenv=", "pillar_enc=", "orchestration_jid="}
	for _, name := range []string{"state.orchestrate", "state.orch", "state.sls"} {
		runners.Register(runners.Function{Name: name, Args: sls, Lists: []string{"mods"}, Run: orchestrate, Doc: `
Run states on the master that call minions, runners and wheel functions: salt.state,
salt.function, salt.runner, salt.wheel, salt.wait_for_event and salt.parallel_runners, in
the order of their requisites. The files come from the file_roots of the master.

mods
    The SLS files: a list, or names separated by commas.` + shared + `
    salt-run ` + name + ` webserver
    salt-run ` + name + ` webserver saltenv=dev pillar='{version: 5}' test=True
`})
	}
	for _, name := range []string{"state.orchestrate_show_sls", "state.orch_show_sls"} {
		runners.Register(runners.Function{Name: name, Args: []string{"mods", "saltenv=", "test=", "queue=", "pillar=", "pillarenv=", "pillar_enc="}, Lists: []string{"mods"}, Run: show, Doc: `
Show the states of SLS files as an orchestration would run them.

mods
    The SLS files: a list, or names separated by commas.
saltenv, pillar, pillarenv, pillar_enc, test, queue
    As for state.orchestrate; queue has no effect.

    salt-run ` + name + ` webserver pillar='{version: 5}'
`})
	}
	runners.Register(runners.Function{Name: "state.orchestrate_single", Args: []string{"fun", "name", "test=", "queue=", "pillar="}, AnyKwargs: true, Run: single, Doc: `
Run one state on the master.

fun, name
    The state, such as salt.wheel, and its name. Further keywords are its arguments.
test, pillar
    As for state.orchestrate.
queue
    Has no effect.

    salt-run state.orchestrate_single fun=salt.wheel name=key.list_all
`})
	runners.Register(runners.Function{Name: "state.orchestrate_high", Args: []string{"data", "test=", "queue=", "pillar="}, Run: high, Doc: `
Run states on the master, given as a mapping.

data
    The states, in the form of an SLS file.
test, pillar
    As for state.orchestrate.
queue
    Has no effect.

    salt-run state.orchestrate_high '{stage_one: {salt.function: [{name: test.ping}, {tgt: "*"}]}}'
`})
	registerPauses()
}

func registerPauses() {
	register := func(names []string, args []string, doc string, run func(p *Pauses, c *runners.Call) error) {
		for _, name := range names {
			runners.Register(runners.Function{Name: name, Args: args, Doc: doc + "\n    salt-run " + name + " 20261123154600000000\n", Run: func(_ context.Context, c *runners.Call) (any, error) {
				env, ok := c.Env.(Env)
				if !ok {
					return nil, errors.New(c.Fun() + ": states are run by a master that is at work")
				}
				return nil, run(env.Orchestration().Pauses, c)
			}})
		}
	}
	register([]string{"state.pause", "state.set_pause"}, []string{"jid", "state_id=", "duration="}, `
Pause a run of states on the master.

jid
    The id of the call that runs them.
state_id
    The ID of the state to stop before. Default: the next.
duration
    Seconds to pause. Default: until state.resume.
`, func(p *Pauses, c *runners.Call) error {
		d, err := c.Seconds("duration", 0)
		if err != nil {
			return err
		}
		x := &pause{}
		if d > 0 {
			x.until = p.now().Add(d)
		}
		return p.set(c.Text("jid"), c.Text("state_id"), x)
	})
	register([]string{"state.resume", "state.rm_pause"}, []string{"jid", "state_id="}, `
Resume a paused run of states on the master.

jid
    The id of the call that runs them.
state_id
    The state that it is paused before. Default: any.
`, func(p *Pauses, c *runners.Call) error {
		p.resume(c.Text("jid"), c.Text("state_id"))
		return nil
	})
	register([]string{"state.soft_kill"}, []string{"jid", "state_id="}, `
End a run of states on the master before a state, without interrupting one.

jid
    The id of the call that runs them.
state_id
    The ID of the state to stop before. Default: the next.
`, func(p *Pauses, c *runners.Call) error {
		return p.set(c.Text("jid"), c.Text("state_id"), &pause{kill: true})
	})
}

// longest limits the wait of a state.
const longest = 365 * 24 * time.Hour
