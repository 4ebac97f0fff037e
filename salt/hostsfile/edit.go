package hostsfile

import (
	"fmt"
	"net/netip"
	"strings"
)

// maxName is how long a name of a host is at most, in bytes.
const maxName = 255

// Check refuses what would break a line of the file: an address that is none, names with
// white space within or a #, a comment with a line break. names may hold several names,
// or nothing.
func Check(ip, names, comment string) error {
	if _, err := netip.ParseAddr(ip); err != nil {
		return fmt.Errorf("%q is no IP address", ip)
	}
	for _, n := range strings.Fields(names) {
		if len(n) > maxName || strings.ContainsAny(n, "#\x00") {
			return fmt.Errorf("%q is no name of a host", n)
		}
	}
	if strings.ContainsAny(names, "\r\n") {
		return fmt.Errorf("the names %q are on several lines", names)
	}
	//mutant:hosts-line-break
	if strings.ContainsAny(comment, "\r\n\x00") {
		return fmt.Errorf("the comment %q has several lines", comment)
	}
	return nil
}

// Set gives an address these names and no others; its other lines go. Names that are
// white space remove it.
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

// Remove takes a name from an address. A line that has no other goes.
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

// edit hands the lines of an address to change, and leaves the others.
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

// Add gives an address one more name. As with Salt that writes the file anew: one line
// for each address.
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

// SetComment gives an address a comment. known is false when the file does not have it.
// It writes the file anew, as [Add].
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

// String is the file with these entries.
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
