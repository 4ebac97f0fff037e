package grains

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// FuzzParsers passes any text to every parser of a system file.
func FuzzParsers(f *testing.F) {
	for _, root := range []tree{"testdata/debian", "testdata/rocky", "testdata/alpine"} {
		for _, name := range []string{
			"/etc/os-release", "/etc/hosts", "/proc/cpuinfo", "/proc/meminfo", "/proc/net/route",
			"/proc/net/ipv6_route", "/run/systemd/resolve/resolv.conf",
		} {
			f.Add(root.text(name))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		rel := parseOSRelease(text)
		name := osName(rel["ID"], rel["NAME"])
		out := []any{
			parseProcessors(text), parseMemory(text), parseResolv(text), parseRoute4(text), parseRoute6(text),
			name, osFamily(name, rel["ID"], rel["ID_LIKE"]), releaseGrains(name, rel["NAME"], text), codename(rel),
			idName(text, 0),
		}
		for _, l := range parseHosts(text) {
			if len(l.names) == 0 || !l.addr.IsValid() {
				t.Fatalf("hosts line without name or address: %+v", l)
			}
		}
		if _, err := wire.Encode(out); err != nil {
			t.Fatalf("grains cannot be encoded: %v", err)
		}
	})
}

func TestParseProcessors_Kinds(t *testing.T) {
	for name, tt := range map[string]struct {
		text, model string
		cpus        int64
	}{
		"s390": {"vendor_id       : IBM/S390\n# processors    : 2\nfeatures\t: esan3 zarch\n", "IBM/S390", 2},
		"power": {
			"processor\t: 0\ncpu\t\t: POWER9 (architected)\nprocessor\t: 1\ncpu\t\t: POWER9 (architected)\n",
			"POWER9 (architected)", 2,
		},
		"old arm": {"Processor\t: ARMv7 Processor rev 4-x (v7l)\nFeatures\t: half thumb\n", "ARMv7 Processor rev 4", 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := parseProcessors(tt.text)
			if g.String("cpu_model") != tt.model || g.Int("num_cpus") != tt.cpus {
				t.Errorf("model %q, %d processors; want %q, %d", g.String("cpu_model"), g.Int("num_cpus"), tt.model, tt.cpus)
			}
		})
	}
}

func TestParseRoute_Kinds(t *testing.T) {
	const head = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
	for text, want := range map[string]any{
		"": false, head: false,
		head + "ppp0 00000000 00000000 0001 0 0 0 00000000 0 0 0\n": true,
		head + "eth0 00000000 FE01A8C0 0003 0 0 0 00000000 0 0 0\n": "192.168.1.254",
		head + "eth0 00000000 junk 0003 0 0 0 00000000 0 0 0\n":     false,
	} {
		if got := parseRoute4(text); got != want {
			t.Errorf("parseRoute4(%q) = %v, want %v", text, got, want)
		}
	}
}
