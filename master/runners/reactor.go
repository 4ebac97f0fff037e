package runners

import (
	"context"
	"errors"

	"github.com/momtree/mom/value"
)

// Reacting is an [Env] with a reactor.
type Reacting interface {
	Reactor() Reactor
}

// Reactor is what runners use of a master's reactor.
type Reactor interface {
	// List returns the reactors in the form of the option reactor.
	List() []any
	// Add and Delete return a map with status and comment.
	Add(tag string, slss []string) *value.Map
	Delete(tag string) *value.Map
	Leads() bool
	SetLeader(leads bool) bool
}

func init() {
	register := func(name string, args []string, doc string, run func(r Reactor, c *Call) (any, error)) {
		Register(Function{Name: name, Args: args, Doc: doc, Run: func(_ context.Context, c *Call) (any, error) {
			e, ok := c.Env.(Reacting)
			if !ok {
				return nil, errors.New("Reactor system is not running.")
			}
			return run(e.Reactor(), c)
		}})
	}
	register("reactor.list", []string{"saltenv=", "test="}, `
The reactors: tags of events, with the SLS files that are rendered for them.

saltenv, test
    Have no effect, as in Salt.

    salt-run reactor.list
`, func(r Reactor, _ *Call) (any, error) { return r.List(), nil })
	register("reactor.add", []string{"event", "reactors", "saltenv=", "test="}, `
Add a reactor until the master ends.

event
    The tag of its events, a glob for the whole tag.
reactors
    The SLS file, or a list of them: absolute paths, or salt://.
saltenv, test
    Have no effect, as in Salt.

    salt-run reactor.add 'salt/cloud/*/destroyed' reactors='/srv/reactor/destroy/*.sls'
`, reactorAdd)
	register("reactor.delete", []string{"event", "saltenv=", "test="}, `
Remove the reactors of a tag until the master restarts.

event
    The tag as configured or added.
saltenv, test
    Have no effect, as in Salt.

    salt-run reactor.delete 'salt/cloud/*/destroyed'
`, func(r Reactor, c *Call) (any, error) { return r.Delete(c.Text("event")), nil })
	register("reactor.is_leader", nil, `
Whether the reactor of this master is active.

    salt-run reactor.is_leader
`, func(r Reactor, _ *Call) (any, error) { return r.Leads(), nil })
	register("reactor.set_leader", []string{"value="}, `
Activate or deactivate the reactor of this master.

value : True
    Whether the reactor is active.

    salt-run reactor.set_leader False
`, func(r Reactor, c *Call) (any, error) {
		leads, err := c.Flag("value", true)
		if err != nil {
			return nil, err
		}
		return r.SetLeader(leads), nil
	})
}

func reactorAdd(r Reactor, c *Call) (any, error) {
	v, _ := c.Given("reactors")
	var slss []string
	switch v := v.(type) {
	case string:
		slss = []string{v}
	case []any:
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, invalid("reactors=%v is neither a file nor a list of files", v)
			}
			slss = append(slss, s)
		}
	default:
		return nil, invalid("reactors=%v is neither a file nor a list of files", v)
	}
	return r.Add(c.Text("event"), slss), nil
}
