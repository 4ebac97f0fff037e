package admission

import (
	"net/netip"
	"testing"
)

// Two addresses are one source if one machine may have both.
func TestSource(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::2", true},
		{"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{"fe80::1%eth0", "fe80::1%eth1", true},
	} {
		if got := Source(netip.MustParseAddr(c.a)) == Source(netip.MustParseAddr(c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
	if Source(netip.Addr{}).IsValid() {
		t.Error("an invalid address has a source")
	}
}
