package grains

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// silentServer never answers before the deadline.
type silentServer struct{}

func (silentServer) LookupCNAME(ctx context.Context, _ string) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func (silentServer) LookupNetIP(ctx context.Context, _, _ string) ([]addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silentServer) LookupAddr(ctx context.Context, _ string) ([]string, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestNames_SilentServerCostsTheDeadlineOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testCollector("scratch", uname{nodename: "box"})
		c.resolver, c.DNSTimeout, c.FQDNs = silentServer{}, 2*time.Second, true
		begin := time.Now()
		g := c.collect(t.Context())
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("collect took %v, want 2s", took)
		}
		if g.String("fqdn") != "box" {
			t.Errorf("fqdn = %q, want box", g.String("fqdn"))
		}
	})
}

// knownNames answers from a table.
type knownNames struct{ cname, ip4 string }

func (k knownNames) LookupCNAME(context.Context, string) (string, error) { return k.cname, nil }

func (k knownNames) LookupNetIP(_ context.Context, network, host string) ([]addr, error) {
	if network != "ip4" || host+"." != k.cname {
		return nil, context.DeadlineExceeded
	}
	return []addr{netip.MustParseAddr(k.ip4), netip.MustParseAddr("::ffff:" + k.ip4)}, nil
}

func (k knownNames) LookupAddr(_ context.Context, a string) ([]string, error) {
	if a != k.ip4 {
		return nil, context.DeadlineExceeded
	}
	return []string{k.cname, "other.example.net."}, nil
}

// The names of all non-loopback addresses; the hosts file takes precedence over a server.
func TestNames_OfAllAddresses(t *testing.T) {
	c := testCollector("debian", uname{nodename: "web-01"})
	c.resolver = knownNames{"box.example.net.", "192.0.2.20"}
	for enabled, want := range map[bool][]any{false: {}, true: {"box.example.net", "third.example.com"}} {
		c.FQDNs = enabled
		hosts := []hostsLine{{netip.MustParseAddr("192.0.2.3"), []string{"third.example.com", "third"}}, {netip.MustParseAddr("127.0.0.1"), []string{"localhost"}}}
		if d := cmp.Diff(want, c.fqdns(t.Context(), hosts)); d != "" {
			t.Errorf("enabled %v (-want +got):\n%s", enabled, d)
		}
	}
}

func TestNames_FromServer(t *testing.T) {
	c := testCollector("scratch", uname{nodename: "box"})
	c.resolver = knownNames{"box.example.net.", "192.0.2.9"}
	got := value.Plain(c.names(t.Context()))
	want := m{
		"localhost": "box", "fqdn": "box.example.net", "host": "box", "domain": "example.net",
		"fqdn_ip4": []any{"192.0.2.9"}, "fqdn_ip6": []any{}, "fqdns": []any{},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}

func TestNames_HostWithoutName(t *testing.T) {
	c := testCollector("scratch", uname{})
	if got := c.names(t.Context()).String("fqdn"); got != "localhost.localdomain" {
		t.Errorf("fqdn = %q, want localhost.localdomain", got)
	}
}
