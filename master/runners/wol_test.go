package runners

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A magic packet is six bytes 0xff and the address 16 times.
func TestNetworkWol(t *testing.T) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	port := conn.LocalAddr().(*net.UDPAddr).Port
	list := filepath.Join(t.TempDir(), "macs")
	if err := os.WriteFile(list, []byte("08:00:27:13:69:77\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := append(bytes.Repeat([]byte{0xff}, 6), bytes.Repeat([]byte{0x08, 0x00, 0x27, 0x13, 0x69, 0x77}, 16)...)
	for _, c := range []struct{ fun, arg string }{
		{"network.wol", "08:00:27:13:69:77"}, {"network.wol", "08-00-27-13-69-77"}, {"network.wol", "080027136977"}, {"network.wollist", list},
	} {
		if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: c.fun, Args: []any{c.arg, "127.0.0.1", port}})}); err != nil {
			t.Fatalf("%s %s: %v", c.fun, c.arg, err)
		}
		b := make([]byte, 200)
		n, _, err := conn.ReadFrom(b)
		if err != nil || !bytes.Equal(b[:n], want) {
			t.Errorf("%s %s: %x, %v", c.fun, c.arg, b[:n], err)
		}
	}
	for arg, wants := range map[string]string{"08:00": "is not a hardware address", "zz:00:27:13:69:77": "is not a hardware address"} {
		if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "network.wol", Args: []any{arg}})}); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
