package runners

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

var presenceArgs = []string{"subset=", "show_ip="}

const presenceDoc = `
subset
    Only minions with an IPv4 or IPv6 address in this network, such as 10.0.0.0/8, by their
    stored grains, or only those of a list of ids.
show_ip : False
    Must be False: masters do not store addresses of minions.
`

// presence returns a function that lists the minions in a state, from presence alone.
func presence(s topology.State) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		show, err := c.Flag("show_ip", false)
		if err != nil {
			return nil, err
		}
		if show {
			return nil, invalid("show_ip=True: masters do not store addresses of minions; see salt '*' grains.item ipv4")
		}
		in, incomplete, err := subset(ctx, c)
		if err != nil {
			return nil, err
		}
		all, _ := leaves(c.Env.Tree())
		ids := []string{}
		for _, l := range all {
			if l.state == s && (in == nil || in[l.id]) {
				ids = append(ids, l.id)
			}
		}
		return ids, incomplete
	}
}

// subset returns the minions that a call is limited to; nil means all. incomplete is an error that
// names the nodes whose minions are unknown.
func subset(ctx context.Context, c *Call) (in map[string]bool, incomplete, err error) {
	v, given := c.Given("subset")
	if !given {
		return nil, nil, nil
	}
	in = map[string]bool{}
	if list, ok := v.([]any); ok {
		for _, id := range wire.Texts(list) {
			in[id] = true
		}
		return in, nil, nil
	}
	text := fmt.Sprint(v)
	if _, err := netip.ParsePrefix(text); err != nil {
		if _, err := netip.ParseAddr(text); err != nil {
			return nil, nil, invalid("subset=%s is neither a network such as 10.0.0.0/8 nor a list of ids", text)
		}
	}
	k, err := keep(c)
	if err != nil {
		return nil, nil, err
	}
	minions, away, err := k.Known(ctx, Known{Tgt: text, TgtType: "ipcidr"})
	for id := range minions {
		in[id] = true
	}
	return in, notSaid(away), err
}
