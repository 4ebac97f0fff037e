package grains

import "testing"

// The numbers are those of Salt 3006.27: the SHA-256 of the id, modulo 2**31.
func TestServerID_AsSalt(t *testing.T) {
	for id, want := range map[string]int64{
		"web-01": 2123178878, "a": 804145339, "minion.example.com": 1491691849, "abcdefgh": 1124480427, "": 2018687061,
	} {
		c := &collector{Options: Options{ID: id}}
		if got := c.serverID(); got != want {
			t.Errorf("serverID of %q = %d, want %d", id, got, want)
		}
	}
}
