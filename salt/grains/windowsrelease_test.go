package grains

import (
	"reflect"
	"testing"
)

func TestWindowsRelease(t *testing.T) {
	for _, c := range []struct {
		full, release string
		info          []any
	}{
		{"Microsoft Windows Server 2019 Standard", "2019Server", []any{int64(2019)}},
		{"Microsoft Windows Server 2012 R2 Datacenter", "2012ServerR2", []any{int64(2012), int64(2)}},
		{"Microsoft Windows Server Datacenter", "2019Server", []any{int64(2019)}},
		{"Microsoft Windows 11 Pro", "11", []any{int64(11)}},
		{"Microsoft Windows 8.1 Enterprise", "8.1", []any{int64(8), int64(1)}},
		{"Microsoft Windows", "10", []any{int64(10)}},
	} {
		g := windowsRelease(c.full, "10")
		info, _ := g.Get("osrelease_info")
		if g.String("osrelease") != c.release || g.String("osfinger") != "Windows-"+c.release || !reflect.DeepEqual(info, c.info) {
			t.Errorf("%s: %v", c.full, g)
		}
	}
}
