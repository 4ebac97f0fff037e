package hostsfile

import (
	"slices"
	"strings"
)

// Entry is an address with all its names, or a comment line.
type Entry struct {
	// IP is the address, "" for a comment.
	IP      string
	Aliases []string
	// Comment is the text after the # of its last line with a comment; for a comment line
	// it is the whole line.
	Comment string
}

// Hosts are the entries of a file, in order.
type Hosts []Entry

// Parse parses a file.
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

// IP returns the first address with a name, "" if no address has it.
func (h Hosts) IP(alias string) string {
	for _, e := range h {
		if slices.Contains(e.Aliases, alias) {
			return e.IP
		}
	}
	return ""
}

// Aliases returns the names of an address, in order.
func (h Hosts) Aliases(ip string) []string {
	if e := h.find(ip); e != nil {
		return e.Aliases
	}
	return []string{}
}

// Has reports whether an address has all these names.
func (h Hosts) Has(ip string, aliases ...string) bool {
	e := h.find(ip)
	return e != nil && !slices.ContainsFunc(aliases, func(a string) bool { return !slices.Contains(e.Aliases, a) })
}

// Known reports whether an address has an entry.
func (h Hosts) Known(ip string) bool { return h.find(ip) != nil }

// Comment returns the comment of an address, "" if it has none.
func (h Hosts) Comment(ip string) string {
	if e := h.find(ip); e != nil {
		return e.Comment
	}
	return ""
}
