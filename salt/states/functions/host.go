package functions

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("host",
		Function{Name: "present", Run: hostPresent, Spec: states.Spec{Args: args([]string{"name", "ip"}, "comment", "", "clean", false)}, Doc: `
Manages a name in the hosts file.

ip
    The address, or a list of them.
comment
    The comment after it.
clean : False
    Removes the name from other addresses.

    db1:
      host.present:
        - ip: 192.0.2.7
`},
		Function{Name: "absent", Run: hostAbsent, Spec: states.Spec{Args: args([]string{"name", "ip"})}, Doc: `
Removes a name from an address in the hosts file (ip: the address, or a list of
them).

    db1:
      host.absent:
        - ip: 192.0.2.7
`},
		Function{Name: "only", Run: hostOnly, Spec: states.Spec{Args: args([]string{"name", "hostnames"})}, Doc: `
Manages the names of an address in the hosts file (hostnames: one, or an ordered
list) and removes others; without names the address is removed.

    127.0.1.1:
      host.only:
        - hostnames: [db1.example.com, db1]
`},
	)
}

// hostPlan is the work of host.present: pairs of an address and a name or comment.
type hostPlan struct {
	comments             []string
	add, comment, remove [][2]string
}

// planHost compares the hosts file with the wanted entries.
func (c *Call) planHost(r *states.Result, all *value.Map, ips []string) hostPlan {
	var p hostPlan
	name, comment := c.Name(), c.Str("comment")
	wanted := map[string]bool{}
	for _, ip := range ips {
		if wanted[ip] {
			continue
		}
		wanted[ip] = true
		if all.Has(ip) {
			continue
		}
		p.add = append(p.add, [2]string{ip, name})
		if comment != "" {
			p.comment = append(p.comment, [2]string{ip, comment})
		}
	}
	all.Range(func(k, v any) bool {
		addr := pystr(k)
		info, _ := v.(*value.Map)
		named := states.Has(info.List("aliases"), name)
		switch {
		case !wanted[addr] && named && c.Truth("clean"):
			p.remove = append(p.remove, [2]string{addr, name})
		case !wanted[addr] && named:
			r.Warnings = append(r.Warnings, fmt.Sprintf("Host %s present for IP address %s. To get rid of this warning, either run this state with 'clean' "+
				"set to True to remove %s from %s, or add %s to the 'ip' argument.", name, addr, name, addr, addr))
		case !wanted[addr]:
		case named && comment != "" && info.String("comment") != comment:
			p.comment = append(p.comment, [2]string{addr, comment})
		case named:
			p.comments = append(p.comments, fmt.Sprintf("Host %s (%s) already present", name, addr))
		case net.ParseIP(addr) == nil:
			r.Result = false
			p.comments = append(p.comments, fmt.Sprintf("Invalid IP Address for %s (%s)", name, addr))
		default:
			p.add = append(p.add, [2]string{addr, name})
			if comment != "" {
				p.comment = append(p.comment, [2]string{addr, comment})
			}
		}
		return true
	})
	return p
}

func hostPresent(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	all, err := c.mapOf(ctx, "hosts.list_hosts")
	if err != nil {
		return nil, err
	}
	p := c.planHost(r, all, texts(c.Value("ip")))
	// One step for each pair: the comment of a test run, the function, its argument, the
	// comments on success and failure, and the key of the changes.
	steps := []struct {
		pairs                  [][2]string
		would, fun, done, fail string
		key                    string
		swap                   bool
	}{
		{p.add, "Host %s (%s) would be added", "hosts.add_host", "Added host %s (%s)", "Failed to add host %s (%s)", "added", true},
		{p.comment, "Comment for %s (%s) would be added", "hosts.set_comment", "Set comment for host %s (%s)", "Failed to add comment for host %s (%s)", "comment_added", false},
		{p.remove, "Host %s (%s) would be removed", "hosts.rm_host", "Removed host %s (%s)", "Failed to remove host %s (%s)", "removed", true},
	}
	for _, s := range steps {
		for _, pair := range s.pairs {
			a, b := pair[0], pair[1]
			if s.swap {
				a, b = b, a
			}
			switch {
			case c.Test:
				if s.swap {
					r.Result = nil
				}
				p.comments = append(p.comments, fmt.Sprintf(s.would, a, b))
			default:
				ok, err := c.truthOf(ctx, s.fun, pair[0], pair[1])
				if err != nil {
					return nil, err
				}
				if !ok {
					r.Result = false
					p.comments = append(p.comments, fmt.Sprintf(s.fail, a, b))
					continue
				}
				p.comments = append(p.comments, fmt.Sprintf(s.done, a, b))
			}
			of := r.Changes.Map(s.key)
			if of == nil {
				of = value.NewMap()
				r.Changes.Set(s.key, of)
			}
			of.Set(pair[0], append(of.List(pair[0]), pair[1]))
		}
	}
	r.Comment = strings.Join(p.comments, "\n")
	return r, nil
}

func hostAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	r.Result = nil
	var comments []string
	for _, ip := range texts(c.Value("ip")) {
		there, err := c.truthOf(ctx, "hosts.has_pair", ip, c.Name())
		if err != nil {
			return nil, err
		}
		switch {
		case !there:
			r.Result = true
			comments = append(comments, fmt.Sprintf("Host %s (%s) already absent", c.Name(), ip))
		case c.Test:
			comments = append(comments, fmt.Sprintf("Host %s (%s) needs to be removed", c.Name(), ip))
		default:
			ok, err := c.truthOf(ctx, "hosts.rm_host", ip, c.Name())
			if err != nil {
				return nil, err
			}
			if !ok {
				r.Result = false
				comments = append(comments, "Failed to remove host")
				continue
			}
			r.Changes.Set("host", c.Name())
			r.Result = true
			comments = append(comments, fmt.Sprintf("Removed host %s (%s)", c.Name(), ip))
		}
	}
	r.Comment = strings.Join(comments, "\n")
	return r, nil
}

func hostOnly(ctx context.Context, c *Call) (*states.Result, error) {
	r, name := outcome(c), c.Name()
	v, err := c.Module(ctx, "hosts.get_alias", []any{name}, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, n := range texts(c.Value("hostnames")) {
		names = append(names, strings.TrimSpace(n))
	}
	was, want := strings.Join(texts(v), " "), strings.Join(names, " ")
	if was == want {
		return says(r, true, "IP address %s already set to \"%s\"", name, want)
	}
	if c.Test {
		return says(r, nil, "Would change %s from \"%s\" to \"%s\"", name, was, want)
	}
	ok, err := c.truthOf(ctx, "hosts.set_host", name, want)
	if err != nil {
		return nil, err
	}
	if !ok {
		return says(r, false, "hosts.set_host failed to change %s from \"%s\" to \"%s\"", name, was, want)
	}
	r.Changes.Set(name, value.NewMap("old", was, "new", want))
	return says(r, true, "successfully changed %s from \"%s\" to \"%s\"", name, was, want)
}
