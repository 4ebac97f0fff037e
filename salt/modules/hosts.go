package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/hostsfile"
	"github.com/momtree/mom/value"
)

// OptionHostsFile is the minion option with the path of the file that the module hosts
// uses.
const OptionHostsFile = "hosts.file"

func init() {
	ip, alias := Arg{Name: "ip", Required: true}, Arg{Name: "alias", Required: true}
	Register("hosts",
		Function{Name: "list_hosts", Run: hostsList, Doc: `
Return the content of the hosts file: the names (aliases) of each address, and
its comments.

CLI Example:

    salt '*' hosts.list_hosts
`},
		Function{Name: "get_ip", Args: []Arg{{Name: "host", Required: true}}, Run: hostsIP, Doc: `
Return the address of a host in the hosts file, "" if it has none.

CLI Example:

    salt '*' hosts.get_ip hostname
`},
		Function{Name: "get_alias", Args: []Arg{ip}, Run: hostsAlias, Doc: `
Return the names of the address ip in the hosts file.

CLI Example:

    salt '*' hosts.get_alias 10.0.0.1
`},
		Function{Name: "has_pair", Args: []Arg{ip, alias}, Run: hostsPair, Doc: `
Return whether the address ip has the name alias, or all of a list, in the hosts
file.

CLI Example:

    salt '*' hosts.has_pair 10.0.0.1 name
`},
		Function{Name: "set_host", Args: []Arg{ip, alias, {Name: "comment"}}, Run: hostsSet, Doc: `
Set the names of the address ip to alias, one or several with spaces, and remove
others; "" removes the address. comment is appended.

CLI Example:

    salt '*' hosts.set_host 10.0.0.1 name
`},
		Function{Name: "rm_host", Args: []Arg{ip, alias}, Run: hostsRemove, Doc: `
Remove the name alias from the address ip in the hosts file.

CLI Example:

    salt '*' hosts.rm_host 10.0.0.1 name
`},
		Function{Name: "add_host", Args: []Arg{ip, alias}, Run: hostsAdd, Doc: `
Add the name alias to the address ip in the hosts file.

CLI Example:

    salt '*' hosts.add_host 10.0.0.1 name
`},
		Function{Name: "set_comment", Args: []Arg{ip, {Name: "comment", Required: true}}, Run: hostsComment, Doc: `
Set the comment of the address ip in the hosts file. Returns False if the file
does not have the address.

CLI Example:

    salt '*' hosts.set_comment 10.0.0.1 "the printer"
`},
	)
}

func (c *Call) hostsPath() string {
	if p := c.option(OptionHostsFile); given(p) {
		return PyStr(p)
	}
	return "/etc/hosts"
}

// hosts reads the hosts file; a missing file is empty.
func (c *Call) hosts() (hostsfile.Hosts, error) {
	body, err := readWhole(c.hostsPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, osFault(err)
	}
	return hostsfile.Parse(body), nil
}

// editHosts rewrites the hosts file, or creates it.
func (c *Call) editHosts(edit func(body string) string) (any, error) {
	path := c.hostsPath()
	body, err := readWhole(path)
	if errors.Is(err, errNotRegular) {
		return false, nil
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, osFault(err)
	}
	now := edit(body)
	switch {
	case missing:
		return true, osFault(os.WriteFile(path, []byte(now), 0o644))
	case now == body:
		return true, nil
	}
	// In place: containers mount the file, so it cannot be replaced.
	return true, osFault(writeOver(path, now, true))
}

func hostsList(_ context.Context, c *Call) (any, error) {
	hosts, err := c.hosts()
	if err != nil {
		return nil, err
	}
	m, comments := value.NewMap(), 0
	for _, e := range hosts {
		if e.IP == "" {
			m.Set(fmt.Sprintf("comment-%d", comments), []any{e.Comment})
			comments++
			continue
		}
		entry := value.NewMap("aliases", wire.AnyList(e.Aliases))
		if e.Comment != "" {
			entry.Set("comment", e.Comment)
		}
		m.Set(e.IP, entry)
	}
	return m, nil
}

func hostsIP(_ context.Context, c *Call) (any, error) {
	hosts, err := c.hosts()
	return hosts.IP(c.Str("host")), err
}

func hostsAlias(_ context.Context, c *Call) (any, error) {
	hosts, err := c.hosts()
	return wire.AnyList(hosts.Aliases(c.Str("ip"))), err
}

func hostsPair(_ context.Context, c *Call) (any, error) {
	hosts, err := c.hosts()
	names := []string{c.Str("alias")}
	if list, ok := c.Value("alias").([]any); ok {
		names = textList(list)
	}
	return hosts.Has(c.Str("ip"), names...), err
}

// checkHost returns an error for values that would break a line of the file.
func (c *Call) checkHost(names string) error {
	if err := hostsfile.Check(c.Str("ip"), names, c.Str("comment")); err != nil {
		return InvocationErrorf("%v", err)
	}
	return nil
}

func hostsSet(_ context.Context, c *Call) (any, error) {
	if err := c.checkHost(c.Str("alias")); err != nil {
		return nil, err
	}
	return c.editHosts(func(body string) string { return hostsfile.Set(body, c.Str("ip"), c.Str("alias"), c.Str("comment")) })
}

func hostsRemove(_ context.Context, c *Call) (any, error) {
	return c.editHosts(func(body string) string { return hostsfile.Remove(body, c.Str("ip"), c.Str("alias")) })
}

func hostsAdd(_ context.Context, c *Call) (any, error) {
	if err := c.checkHost(c.Str("alias")); err != nil {
		return nil, err
	}
	return c.editHosts(func(body string) string { return hostsfile.Add(body, c.Str("ip"), c.Str("alias")) })
}

func hostsComment(_ context.Context, c *Call) (any, error) {
	if err := c.checkHost(""); err != nil {
		return nil, err
	}
	known := false
	done, err := c.editHosts(func(body string) string {
		out, has := hostsfile.SetComment(body, c.Str("ip"), c.Str("comment"))
		known = has
		return out
	})
	if err != nil || done == false {
		return done, err
	}
	return known, nil
}
