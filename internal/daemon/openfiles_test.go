//go:build unix

package daemon

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestRaiseOpenFiles(t *testing.T) {
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}()
	low := was
	set(&low.Cur, 512)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, have uint64 }{{300, 512}, {600, 600}} {
		if have, err := RaiseOpenFiles(c.want); err != nil || have != c.have {
			t.Errorf("%d files: %d, %v; want %d", c.want, have, err, c.have)
		}
	}
	// A value above any system's maximum sets the maximum or is an error, but never lowers the
	// limit.
	if have, err := RaiseOpenFiles(1 << 62); have < 600 && err == nil {
		t.Errorf("the limit fell to %d", have)
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &now); err != nil || uint64(now.Cur) < 600 {
		t.Errorf("the limit is %d, %v", uint64(now.Cur), err)
	}
}
