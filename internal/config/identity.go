package config

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// host provides the facts about the machine from which an id is guessed.
type host struct {
	name      func() (string, error)
	etc       string // Salt's own directory below root_dir
	hostsFile string
	canonical func(name string) string // the full name from the resolver, or ""
	addresses func() []net.IP
}

var localHost = host{
	name:      os.Hostname,
	etc:       "etc/salt",
	hostsFile: "/etc/hosts",
	canonical: func(name string) string {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		c, err := net.DefaultResolver.LookupCNAME(ctx, name)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(c, ".")
	},
	addresses: func() []net.IP {
		var out []net.IP
		all, _ := net.InterfaceAddrs()
		for _, a := range all {
			if n, ok := a.(*net.IPNet); ok {
				out = append(out, n.IP)
			}
		}
		return out
	},
}

type guess struct {
	fresh     bool // not from a file
	isAddress bool
}

// guessID finds an id when none is configured: from the file minion_id beside the
// configuration, the one in etc/salt under root_dir, the host's full name, its name, or an
// address.
func (c *Common) guessID(h host, dir string) (string, guess) {
	if c.MinionIdCaching {
		for _, f := range []string{filepath.Join(dir, "minion_id"), filepath.Join(c.RootDir, h.etc, "minion_id")} {
			if id := firstLine(f); id != "" && id != "localhost" {
				return id, guess{}
			}
		}
	}
	id := h.guess()
	if c.MinionIdLowercase {
		id = strings.ToLower(id)
	}
	g := guess{fresh: true, isAddress: net.ParseIP(id) != nil}
	switch cut := c.MinionIdRemoveDomain; {
	case g.isAddress || cut == "":
	case cut == "true":
		id, _, _ = strings.Cut(id, ".")
	case strings.HasSuffix(strings.ToUpper(id), "."+strings.ToUpper(cut)):
		id = id[:len(id)-len(cut)-1]
	}
	return id, g
}

func firstLine(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 4096).ReadSlice('\n')
	return strings.TrimPrefix(strings.TrimSpace(string(line)), "\ufeff")
}

func (h host) guess() string {
	name, _ := h.name()
	if strings.Contains(name, ".") && usableName(name) {
		return name
	}
	if name != "" {
		if full := h.fullName(name); full != "" && usableName(full) {
			return full
		}
		if usableName(name) {
			return name
		}
	}
	for _, ip := range h.addresses() {
		if ip.IsGlobalUnicast() {
			return ip.String()
		}
	}
	return "localhost"
}

// fullName returns the name with a domain, from the hosts file or the resolver.
func (h host) fullName(name string) string {
	data, _ := os.ReadFile(h.hostsFile)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		found := false
		for _, w := range words[min(1, len(words)):] {
			found = found || w == name
		}
		if !found {
			continue
		}
		for _, w := range words[1:] {
			if strings.Contains(w, ".") {
				return w
			}
		}
	}
	if c := h.canonical(name); strings.Contains(c, ".") {
		return c
	}
	return ""
}

func usableName(s string) bool {
	s = strings.ToLower(s)
	for _, p := range []string{"localhost", "ip6-", "ipv6-", "127.", "0.0.0.0", "::1"} {
		if strings.HasPrefix(s, p) {
			return false
		}
	}
	return s != ""
}

func saveID(dir, id string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "minion_id"), []byte(id), 0o644)
}

func (c *Common) withDomain(id string) string {
	if c.AppendDomain == "" || strings.HasSuffix(id, c.AppendDomain) || strings.HasSuffix(id, ".") {
		return id
	}
	return id + "." + c.AppendDomain
}

func userByID(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	if uid == 0 {
		return "root"
	}
	return strconv.Itoa(uid)
}
