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

func TestServerID_Checksums(t *testing.T) {
	// zlib.crc32(b"web-01") and zlib.adler32(b"web-01")
	for kind, want := range map[string]int64{"crc32": 3642079253, "adler32": 124322253} {
		c := &collector{Options: Options{ID: "web-01", ServerIDHash: kind}}
		if got := c.serverID(); got != want {
			t.Errorf("serverID by %s = %d, want %d", kind, got, want)
		}
	}
}
