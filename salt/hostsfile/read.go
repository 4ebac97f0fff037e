package hostsfile

import (
	"slices"
	"strings"
)

// Entry is what the file says of an address, all its lines together, or a line that is a
// comment.
type Entry struct {
	// IP is the address, "" for a comment.
	IP      string
	Aliases []string
	// Comment is what stands behind the # of its last line that has one; of a comment
	// the whole line.
	Comment string
}

// Hosts is what a file holds, in its order.
type Hosts []Entry

// Parse reads a file.
func Parse(text string) Hosts {
	var hosts Hosts
	for _, line := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, "#") {
			hosts = append(hosts, Entry{Comment: line})
			continue
		}
		names, comment, _ := strings.Cut(line, "#")
		words := strings.Fields(names)
		e := hosts.find(words[0])
		if e == nil {
			hosts = append(hosts, Entry{IP: words[0], Aliases: []string{}})
			e = &hosts[len(hosts)-1]
		}
		e.Aliases = append(e.Aliases, words[1:]...)
		if comment = strings.TrimSpace(comment); comment != "" {
			e.Comment = comment
		}
	}
	return hosts
}

func (h Hosts) find(ip string) *Entry {
	for i := range h {
		if h[i].IP == ip && ip != "" {
			return &h[i]
		}
	}
	return nil
}

// IP is the first address that has a name, "" when none has.
func (h Hosts) IP(alias string) string {
	for _, e := range h {
		if slices.Contains(e.Aliases, alias) {
			return e.IP
		}
	}
	return ""
}

// Aliases are the names of an address, in their order; none is an empty list.
func (h Hosts) Aliases(ip string) []string {
	if e := h.find(ip); e != nil {
		return e.Aliases
	}
	return []string{}
}

// Has tells whether an address has all these names.
func (h Hosts) Has(ip string, aliases ...string) bool {
	e := h.find(ip)
	return e != nil && !slices.ContainsFunc(aliases, func(a string) bool { return !slices.Contains(e.Aliases, a) })
}

// Known tells whether an address has an entry.
func (h Hosts) Known(ip string) bool { return h.find(ip) != nil }

// Comment is the comment of an address, "" when it has none.
func (h Hosts) Comment(ip string) string {
	if e := h.find(ip); e != nil {
		return e.Comment
	}
	return ""
}
