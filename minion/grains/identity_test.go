package grains

import "testing"

// The numbers are abs(hash(id) % 2**31) of CPython 3.11 with PYTHONHASHSEED=0.
func TestServerID_AsPython(t *testing.T) {
	for id, want := range map[string]int64{
		"web-01": 1093221970, "a": 949688339, "minion.example.com": 1852356995, "abcdefgh": 193869290, "": 0,
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
