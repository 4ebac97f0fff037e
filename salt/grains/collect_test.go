package grains

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noNames is a resolver without a name server.
type noNames struct{}

func (noNames) LookupCNAME(context.Context, string) (string, error) {
	return "", errors.New("no server")
}

func (noNames) LookupNetIP(context.Context, string, string) ([]addr, error) {
	return nil, errors.New("no server")
}

func (noNames) LookupAddr(context.Context, string) ([]string, error) {
	return nil, errors.New("no server")
}

// testCollector reads a tree of testdata and nothing of the host.
func testCollector(root string, u uname) *collector {
	return &collector{
		Options: Options{ID: "web-01", Master: []string{"m1", "m2"}, Version: "1.2.3", DNSTimeout: time.Minute},
		tree:    tree(filepath.Join("testdata", root)),
		uname:   u,
		interfaces: func() ([]iface, error) {
			return []iface{
				{name: "lo", loopback: true, addrs: []addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}},
				{name: "eth0", mac: "02:00:00:00:00:01", addrs: []addr{
					netip.MustParseAddr("192.0.2.20"), netip.MustParseAddr("192.0.2.3"), netip.MustParseAddr("fe80::1"),
				}},
			}, nil
		},
		resolver: noNames{},
		getenv: func(k string) string {
			return map[string]string{"PATH": "/usr/bin:/bin", "LANG": "de_DE.UTF-8"}[k]
		},
		now: func() time.Time { return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) },
	}
}

type m = map[string]any

func TestCollect_Trees(t *testing.T) {
	tests := []struct {
		root   string
		uname  uname
		want   m
		absent []string
	}{
		{
			root:  "debian",
			uname: uname{"Linux", "web-01", "6.1.0-18-amd64", "#1 SMP", "x86_64"},
			want: m{
				"id": "web-01", "kernel": "Linux", "nodename": "web-01", "kernelrelease": "6.1.0-18-amd64",
				"kernelversion": "#1 SMP", "cpuarch": "x86_64", "osarch": "amd64",
				"os": "Debian", "os_family": "Debian", "osfullname": "Debian GNU/Linux", "osrelease": "12",
				"osrelease_info": []any{int64(12)}, "osmajorrelease": int64(12), "oscodename": "bookworm",
				"osfinger": "Debian-12", "init": "systemd", "systemd": m{"version": "252"},
				"num_cpus": int64(2), "cpu_model": "Intel(R) Xeon(R) Processor",
				"cpu_flags": []any{"fpu", "vme", "sse2", "hypervisor"},
				"mem_total": int64(1982), "swap_total": int64(1023),
				"virtual": "kvm", "manufacturer": "QEMU", "productname": "Standard PC (i440FX + PIIX, 1996)",
				"biosvendor": "SeaBIOS", "biosversion": "1.16.2-debian-1.16.2-1", "biosreleasedate": "04/01/2014",
				"uuid":  "aaaabbbb-0000-1111-2222-333344445555",
				"disks": []any{"sda"}, "ssds": []any{"vda"}, "efi": false,
				"host": "web-01", "fqdn": "web-01.example.com", "domain": "example.com", "localhost": "web-01",
				"fqdn_ip4": []any{"127.0.1.1"}, "fqdn_ip6": []any{"2001:db8::10"}, "fqdns": []any{},
				"ipv4": []any{"127.0.0.1", "192.0.2.3", "192.0.2.20"}, "ipv6": []any{"::1", "fe80::1"},
				"ip_interfaces":     m{"lo": []any{"127.0.0.1", "::1"}, "eth0": []any{"192.0.2.20", "192.0.2.3", "fe80::1"}},
				"ip4_interfaces":    m{"lo": []any{"127.0.0.1"}, "eth0": []any{"192.0.2.20", "192.0.2.3"}},
				"ip6_interfaces":    m{"lo": []any{"::1"}, "eth0": []any{"fe80::1"}},
				"hwaddr_interfaces": m{"lo": "00:00:00:00:00:00", "eth0": "02:00:00:00:00:01"},
				"ip_gw":             true, "ip4_gw": "192.0.2.1", "ip6_gw": "fe80::1",
				"dns": m{
					"nameservers": []any{"192.0.2.53", "2001:db8::53"}, "ip4_nameservers": []any{"192.0.2.53"},
					"ip6_nameservers": []any{"2001:db8::53"}, "domain": "", "sortlist": []any{},
					"search": []any{"example.com", "example.net"}, "options": []any{"edns0", "trust-ad"},
				},
				"machine_id": "0123456789abcdef0123456789abcdef",
				"locale_info": m{
					"defaultlanguage": "de_DE", "defaultencoding": "UTF-8", "detectedencoding": "utf-8", "timezone": "UTC",
				},
				"server_id": int64(2123178878), "master": []any{"m1", "m2"}, "path": "/usr/bin:/bin",
				"systempath": []any{"/usr/bin", "/bin"}, "shell": "/bin/sh", "ps": "ps -efHww",
				"saltversion": versions.Salt, "momversion": "1.2.3", "saltversioninfo": []any{int64(3007), int64(9)},
			},
			absent: []string{"pythonversion", "virtual_subtype", "selinux", "serialnumber"},
		},
		{
			root:  "rocky",
			uname: uname{"Linux", "db.example.org", "5.14.0", "#1 SMP", "x86_64"},
			want: m{
				"os": "Rocky", "os_family": "RedHat", "osfullname": "Rocky Linux", "osrelease": "9.4",
				"osrelease_info": []any{int64(9), int64(4)}, "osmajorrelease": int64(9), "osfinger": "Rocky Linux-9",
				"oscodename": "Blue Onyx", "osarch": "x86_64", "virtual": "physical", "efi": true,
				"selinux": m{"enabled": true, "enforced": "Enforcing"}, "systemd": m{"version": "252"},
				"serialnumber": "7ABCDE3", "mem_total": int64(64120), "swap_total": int64(0),
				"fqdn": "db.example.org", "host": "db", "domain": "example.org",
				"fqdn_ip4": []any{}, "ip_gw": false, "ip4_gw": false,
			},
			absent: []string{"dns", "machine_id"},
		},
		{
			root:  "alpine",
			uname: uname{"Linux", "0a1b2c3d4e5f", "6.6.0", "#1", "aarch64"},
			want: m{
				"os": "Alpine", "os_family": "Alpine", "osfullname": "Alpine Linux", "osrelease": "3.20.3",
				"osmajorrelease": int64(3), "osfinger": "Alpine Linux-3", "oscodename": "Alpine Linux v3.20",
				"osarch": "aarch64", "num_cpus": int64(2), "cpu_model": "Unknown",
				"cpu_flags": []any{"fp", "asimd", "evtstrm", "aes"},
				"virtual":   "container", "virtual_subtype": "Docker", "init": "tini",
				"fqdn": "0a1b2c3d4e5f", "fqdn_ip4": []any{"172.17.0.5"},
			},
			absent: []string{"systemd", "manufacturer"},
		},
		{
			root:  "scratch",
			uname: uname{"Linux", "box", "6.6.0", "#1", "x86_64"},
			want: m{
				"os": "Linux", "os_family": "Linux", "osfullname": "Linux", "osarch": "x86_64", "init": "unknown",
				"num_cpus": int64(0), "cpu_model": "Unknown", "mem_total": int64(0),
				"virtual": "container", "virtual_subtype": "LXC", "disks": []any{}, "ssds": []any{},
				"fqdn": "box", "domain": "", "fqdn_ip4": []any{},
			},
			absent: []string{"osrelease", "osfinger", "oscodename", "dns", "timezone"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.root, func(t *testing.T) {
			g := testCollector(tt.root, tt.uname).collect(t.Context())
			for name, want := range tt.want {
				got, ok := g.Get(name)
				if !ok {
					t.Errorf("grain %s is absent", name)
				} else if d := cmp.Diff(want, value.Plain(got)); d != "" {
					t.Errorf("grain %s (-want +got):\n%s", name, d)
				}
			}
			for _, name := range tt.absent {
				if v, ok := g.Get(name); ok {
					t.Errorf("grain %s = %v, want it absent", name, v)
				}
			}
			if _, err := wire.Encode(g); err != nil {
				t.Errorf("grains cannot be sent: %v", err)
			}
		})
	}
}

func TestCollect_StaticGrainsWin(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte("role: file\nos: Mine\ntags: [a, b]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := testCollector("debian", uname{nodename: "web-01"})
	c.ConfDir = dir
	c.Static = map[string]any{"role": "config", "nest": map[string]any{"k": "v"}}
	g := c.collect(t.Context())
	wants := m{"role": "config", "os": "Mine", "tags": []any{"a", "b"}, "nest": m{"k": "v"}}
	for name, want := range wants {
		got, _ := g.Get(name)
		if d := cmp.Diff(want, value.Plain(got)); d != "" {
			t.Errorf("grain %s (-want +got):\n%s", name, d)
		}
	}
}

func TestCollect_BadStaticFileIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte("a: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{ID: "x", ConfDir: dir, Root: "testdata/scratch", DNSTimeout: time.Nanosecond}
	if g := Collect(t.Context(), o); g.String("id") != "x" {
		t.Errorf("id = %q, want x", g.String("id"))
	}
}

func TestCollect_Host(t *testing.T) {
	g := Collect(t.Context(), Options{ID: "here", DNSTimeout: time.Millisecond})
	for _, name := range []string{"kernel", "os", "cpuarch", "ip_interfaces", "fqdn", "saltversion"} {
		if _, ok := g.Get(name); !ok {
			t.Errorf("grain %s is absent", name)
		}
	}
	if g.Int("num_cpus") < 1 || g.Int("mem_total") < 1 {
		t.Errorf("num_cpus = %d, mem_total = %d, want both above 0", g.Int("num_cpus"), g.Int("mem_total"))
	}
}
