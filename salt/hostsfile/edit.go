package hostsfile

import (
	"fmt"
	"net/netip"
	"strings"
)

// maxName is the longest host name, in bytes.
const maxName = 255

// Check returns an error for values that would break a line of the file: an invalid
// address, a name with white space or #, or a comment with a line break. names holds any
// number of names, separated by white space.
func Check(ip, names, comment string) error {
	if _, err := netip.ParseAddr(ip); err != nil {
		return fmt.Errorf("%q is not an IP address", ip)
	}
	for _, n := range strings.Fields(names) {
		if len(n) > maxName || strings.ContainsAny(n, "#\x00") {
			return fmt.Errorf("%q is not a host name", n)
		}
	}
	if strings.ContainsAny(names, "\r\n") {
		return fmt.Errorf("the names %q contain a line break", names)
	}
	//mutant:hosts-line-break
	if strings.ContainsAny(comment, "\r\n\x00") {
		return fmt.Errorf("the comment %q contains a line break", comment)
	}
	return nil
}

// Set gives an address exactly these names and removes its other lines. If names is white
// space, it removes the address.
func Set(text, ip, names, comment string) string {
	line := ip + "\t\t" + names + "\n"
	if comment != "" {
		line = ip + "\t\t" + names + "\t\t# " + comment + "\n"
	}
	if strings.TrimSpace(names) == "" {
		line = ""
	}
	done := false
	out := edit(text, ip, func(string) string {
		if done {
			return ""
		}
		done = true
		return line
	})
	if done {
		return out
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out + line
}

// Remove removes a name from an address, and the line if it was the only name.
func Remove(text, ip, alias string) string {
	if !Parse(text).Has(ip, alias) {
		return text
	}
	return edit(text, ip, func(line string) string {
		names, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
		words := strings.Fields(names)
		var kept strings.Builder
		for _, w := range words[1:] {
			if w != alias {
				kept.WriteString(w + " ")
			}
		}
		if kept.Len() == 0 {
			return ""
		}
		if comment = strings.TrimLeft(comment, " \t"); comment != "" {
			comment = "# " + comment
		}
		return ip + "\t\t" + kept.String() + comment + "\n"
	})
}

// edit applies change to the lines of an address and keeps the others.
func edit(text, ip string, change func(line string) string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == ip {
			line = change(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Add adds a name to an address. As in Salt, it rewrites the file with one line for each
// address.
func Add(text, ip, alias string) string {
	hosts := Parse(text)
	if hosts.Has(ip, alias) {
		return text
	}
	if e := hosts.find(ip); e != nil {
		e.Aliases = append(e.Aliases, alias)
	} else {
		hosts = append(hosts, Entry{IP: ip, Aliases: []string{alias}})
	}
	return hosts.String()
}

// SetComment sets the comment of an address. known is false if the file does not have the
// address. It rewrites the file like [Add].
func SetComment(text, ip, comment string) (out string, known bool) {
	hosts := Parse(text)
	e := hosts.find(ip)
	if e == nil {
		return text, false
	}
	if e.Comment == comment {
		return text, true
	}
	e.Comment = comment
	return hosts.String(), true
}

// String returns the text of a file with these entries.
func (h Hosts) String() string {
	var b strings.Builder
	for _, e := range h {
		line := e.Comment
		if e.IP != "" {
			line = e.IP + "\t\t" + strings.Join(e.Aliases, " ")
			if e.Comment != "" {
				line += "\t\t# " + e.Comment
			}
		}
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}
