package network

import "testing"

func TestBlock(t *testing.T) {
	for addr, want := range map[string]string{
		"10.1.2.3": "10.1.2.3", "::ffff:10.1.2.3": "10.1.2.3", "::ffff:a01:203": "10.1.2.3",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:DB8:1:2::": "2001:db8:1:2::/64", "2001:db8:1:3::1": "2001:db8:1:3::/64",
		"fe80::1%eth0": "fe80::/64", "::1": "::/64", "": "", "pipe": "pipe",
	} {
		if got := Block(addr); got != want {
			t.Errorf("%q: %q, want %q", addr, got, want)
		}
	}
}
