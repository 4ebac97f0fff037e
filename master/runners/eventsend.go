package runners

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
)

// Firer is an [Env] with an event bus.
type Firer interface {
	// Fire sends an event. It refuses the tags that are reserved for the master.
	Fire(tag string, data *wire.Map) error
}

func init() {
	Register(Function{
		Name: "event.send", Args: []string{"tag", "data="}, Run: eventSend, Doc: `
Fire an event on the event bus of this master. Tags reserved for masters and minions
(salt/job/, salt/auth, salt/run/ and others) are refused.

tag
    Its tag.
data
    A mapping.

    salt-run event.send my/custom/event '{"foo": "bar"}'
`,
	})
}

func eventSend(_ context.Context, c *Call) (any, error) {
	f, ok := c.Env.(Firer)
	if !ok {
		return nil, errors.New("event.send: no event bus")
	}
	data := wire.NewMap()
	if v, given := c.Given("data"); given {
		m, ok := v.(*wire.Map)
		if !ok {
			return nil, invalid("data=%v is not a mapping such as '{\"key\": \"value\"}'", v)
		}
		data = m
	}
	if err := f.Fire(c.Text("tag"), data); err != nil {
		return nil, err
	}
	return true, nil
}
