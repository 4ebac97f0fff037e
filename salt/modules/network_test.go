package modules

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
)

const ipAddrShow = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host 
       valid_lft forever preferred_lft forever
4: eth0@if7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc pfifo_fast state UP group default qlen 1000
    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
    inet 192.0.2.9/24 brd 192.0.2.255 scope global secondary eth0:1
       valid_lft forever preferred_lft forever
    inet6 fe80::fc:ff:fe00:1/64 scope link 
       valid_lft forever preferred_lft forever
5: docker0: <NO-CARRIER,BROADCAST,MULTICAST> mtu 1500 qdisc noqueue state DOWN group default 
    link/none 
    inet 8.8.4.4/16 scope global docker0
`

// linuxHost is a minion on Linux.
func linuxHost(t *testing.T, programs ...string) *fakeEnv {
	t.Helper()
	noPrograms(t, programs...)
	env := newEnv()
	env.grains.Set("kernel", "Linux")
	return env
}

// The output of ip is parsed, filtered and sorted as in Salt.
func TestNetworkInterfaces(t *testing.T) {
	env := linuxHost(t, "ip")
	played(t, map[string]ran{"ip|addr|show": {stdout: ipAddrShow}})
	eth0 := m{"address": "192.0.2.2", "netmask": "255.255.255.0", "broadcast": "192.0.2.255", "label": "eth0"}
	calls(t, env, []callCase{
		{"network.interfaces", nil, m{
			"lo": m{
				"up": true, "hwaddr": "00:00:00:00:00:00",
				"inet":  []any{m{"address": "127.0.0.1", "netmask": "255.0.0.0", "broadcast": nil, "label": "lo"}},
				"inet6": []any{m{"address": "::1", "prefixlen": "128", "scope": "host"}},
			},
			"eth0": m{
				"up": true, "hwaddr": "02:fc:00:00:00:01", "parent": "if7", "inet": []any{eth0},
				"inet6":     []any{m{"address": "fe80::fc:ff:fe00:1", "prefixlen": "64", "scope": "link"}},
				"secondary": []any{m{"type": "inet", "address": "192.0.2.9", "netmask": "255.255.255.0", "broadcast": "192.0.2.255", "label": "eth0:1"}},
			},
			"docker0": m{"up": false, "inet": []any{m{"address": "8.8.4.4", "netmask": "255.255.0.0", "broadcast": nil, "label": "docker0"}}},
		}},
		{"network.hw_addr", []any{"eth0"}, "02:fc:00:00:00:01"},
		{"network.hwaddr", []any{"docker0"}, ""},
		{"network.interface", []any{"eth0"}, []any{eth0}},
		{"network.interface_ip", []any{"eth0"}, "192.0.2.2"},
		{"network.interface_ip", []any{"no"}, `Interface "no" not in available interfaces: "lo", "eth0", "docker0"`},
		{"network.ip_addrs", nil, []any{"8.8.4.4", "192.0.2.2", "192.0.2.9"}},
		{"network.ipaddrs", []any{"eth*"}, []any{"192.0.2.2", "192.0.2.9"}},
		{"network.ip_addrs", []any{"lo,docker0", true}, []any{"8.8.4.4", "127.0.0.1"}},
		{"network.ip_addrs", []any{kw("type", "public")}, []any{"8.8.4.4"}},
		{"network.ip_addrs", []any{kw("type", "private")}, []any{"192.0.2.2", "192.0.2.9"}},
		{"network.ip_addrs", []any{kw("cidr", "192.0.2.8/30")}, []any{"192.0.2.9"}},
		{"network.ip_addrs", []any{kw("cidr", "192.0.2.9/30")}, []any{}},
		{"network.ip_addrs6", nil, []any{"fe80::fc:ff:fe00:1"}},
		{"network.subnets", nil, []any{"8.8.0.0/16", "192.0.2.0/24"}},
		{"network.subnets", []any{[]any{"eth0", "lo"}}, []any{"192.0.2.0/24"}},
		{"network.subnets6", nil, []any{"fe80::/64"}},
		{"network.ip_networks6", []any{kw("verbose", true)}, m{"fe80::/64": m{"address": "fe80::", "netmask": "ffff:ffff:ffff:ffff::", "num_addresses": "18446744073709551616", "prefixlen": int64(64)}}},
		{"network.in_subnet", []any{"8.8.0.0/16"}, true},
		{"network.in_subnet", []any{"127.0.0.0/8"}, false},
		{"network.in_subnet", []any{"8.8.0.1/16"}, false},
		{"network.ifacestartswith", []any{"192.0"}, []any{"eth0"}},
	})
}

// Addresses and networks are computed as by Python's ipaddress.
func TestNetworkCalc(t *testing.T) {
	calls(t, newEnv(), []callCase{
		{"network.calc_net", []any{"172.17.0.5", "255.255.255.240"}, "172.17.0.0/28"},
		{"network.calc_net", []any{"10.1.2.3/0.0.0.255"}, "10.1.2.0/24"},
		{"network.calc_net", []any{"2a02:f6e:a000:80:84d8:8332:7866:4e07/64"}, "2a02:f6e:a000:80::/64"},
		{"network.calc_net", []any{"10.1.2.3"}, "10.1.2.3/32"},
		{"network.calc_net", []any{"10.1.2.3", "255.0.255.0"}, "The minion function caused an exception: ValueError: '10.1.2.3/255.0.255.0' does not appear to be an IPv4 or IPv6 network"},
		{"network.calc_net", []any{"10.1.2.3/+8"}, "The minion function caused an exception: ValueError: '10.1.2.3/+8' does not appear to be an IPv4 or IPv6 network"},
		{"network.convert_cidr", []any{"172.31.3.0/16"}, m{"network": "172.31.0.0", "netmask": "255.255.0.0", "broadcast": "172.31.255.255"}},
		{"network.ip_in_subnet", []any{"172.17.0.4", "172.16.0.0/12"}, true},
		{"network.ip_in_subnet", []any{"::ffff:172.17.0.4", "172.16.0.0/12"}, false},
		{"network.ip_in_subnet", []any{"x", "172.16.0.0/12"}, "The minion function caused an exception: ValueError: 'x' does not appear to be an IPv4 or IPv6 address"},
		{"network.is_private", []any{"198.51.100.7"}, true},
		{"network.is_private", []any{"2001:db8::1"}, true},
		{"network.is_private", []any{"8.8.8.8"}, false},
		{"network.is_loopback", []any{"127.9.9.9"}, true},
		{"network.reverse_ip", []any{"172.17.0.4"}, "4.0.17.172.in-addr.arpa"},
		{"network.reverse_ip", []any{"2001:db8::1"}, "1." + strings.Repeat("0.", 23) + "8.b.d.0.1.0.0.2.ip6.arpa"},
		{"network.iphexval", []any{"10.0.0.1"}, "0A000001"},
	})
}

// Routes come from netstat, or from ip on a host without it. A route is looked up for an
// address only, never for words that ip would parse as more.
func TestNetworkRoutes(t *testing.T) {
	one := func(family, to, via, mask, flags, dev string) m {
		return m{"addr_family": family, "destination": to, "gateway": via, "netmask": mask, "flags": flags, "interface": dev}
	}
	env := linuxHost(t, "netstat")
	played(t, map[string]ran{
		"netstat|-A|inet|-rn":      {stdout: "Kernel IP routing table\nDestination Gateway Genmask Flags MSS Window irtt Iface\n0.0.0.0 192.0.2.1 0.0.0.0 UG 0 0 0 eth0\n192.0.2.0 0.0.0.0 255.255.255.0 U 0 0 0 eth0"},
		"netstat|-A|inet6|-rn":     {stdout: "Kernel IPv6 routing table\nDestination Next Hop Flag Met Ref Use If\nfd00::/64 :: U 256 1 0 eth0\n::/0 fd00::1 UG 1024 1 0 eth0\n::/0 :: !n -1 1 0 lo"},
		"ip|route|get|192.0.2.77":  {stdout: "192.0.2.77 dev eth0 src 192.0.2.2 uid 0 \n    cache"},
		"ip|route|get|203.0.113.1": {stdout: "203.0.113.1 via 192.0.2.1 dev eth0 src 192.0.2.2 uid 0"},
		"ip|route|get|fd09::1":     {retcode: 2, stderr: "RTNETLINK answers: Network is unreachable"},
	})
	calls(t, env, []callCase{
		{"network.routes", []any{"inet"}, []any{one("inet", "0.0.0.0", "192.0.2.1", "0.0.0.0", "UG", "eth0"), one("inet", "192.0.2.0", "0.0.0.0", "255.255.255.0", "U", "eth0")}},
		{"network.default_route", nil, []any{one("inet", "0.0.0.0", "192.0.2.1", "0.0.0.0", "UG", "eth0"), one("inet6", "::/0", "fd00::1", "", "UG", "eth0"), one("inet6", "::/0", "::", "", "!n", "lo")}},
		{"network.routes", []any{"ipx"}, "ERROR: Invalid address family ipx"},
		{"network.get_route", []any{"192.0.2.77"}, m{"destination": "192.0.2.77", "gateway": nil, "interface": "eth0", "source": "192.0.2.2"}},
		{"network.get_route", []any{"203.0.113.1"}, m{"destination": "203.0.113.1", "gateway": "192.0.2.1", "interface": "eth0", "source": "192.0.2.2"}},
		{"network.get_route", []any{"fd09::1"}, "ERROR: no route to fd09::1: RTNETLINK answers: Network is unreachable"},
		{"network.get_route", []any{"1.1.1.1; reboot"}, "ERROR executing 'network.get_route': '1.1.1.1; reboot' is not an IP address"},
	})
	env = linuxHost(t, "ip")
	played(t, map[string]ran{
		"ip|-4|route|show|table|main": {stdout: "default via 192.0.2.1 dev eth0 \n192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.2 \nunreachable 10.0.0.0/8"},
		"ip|-6|route|show|table|all":  {stdout: "local ::1 dev lo table local proto kernel metric 0 pref medium\nfe80::/64 dev eth0 proto kernel metric 256 pref medium\nmulticast ff00::/8 dev eth0"},
	})
	calls(t, env, []callCase{{"network.routes", nil, []any{
		one("inet", "0.0.0.0", "192.0.2.1", "0.0.0.0", "UG", "eth0"),
		one("inet", "192.0.2.0", "0.0.0.0", "255.255.255.0", "U", "eth0"), one("inet6", "::1/128", "::", "", "U", "lo"), one("inet6", "fe80::/64", "::", "", "U", "eth0"),
	}}})
}

// Programs that access the network get a host name and nothing else.
func TestNetworkTools(t *testing.T) {
	env := linuxHost(t)
	played(t, map[string]ran{
		"ping|-W|3|-c|4|web.example": {stdout: "4 packets"}, "ping|-c|4|2001:db8::1": {retcode: 1, stderr: "no"}, "dig|web-xy": {stdout: "answer"},
		"arp|-an": {stdout: "? (192.0.2.1) at 02:fc:00:00:00:05 [ether] on eth0\n? (192.0.2.7) at <incomplete> on eth0"},
	})
	calls(t, env, []callCase{
		{"network.ping", []any{"web.example", 3}, "4 packets"},
		{"network.ping", []any{"2001:db8::1", kw("return_boolean", true)}, false},
		{"network.ping", []any{"-f"}, "ERROR executing 'network.ping': host '-f' is invalid: it is empty, begins with -, or contains a line break"},
		{"network.dig", []any{"web-x;y"}, "answer"},
		{"network.arp", nil, m{"02:fc:00:00:00:05": "192.0.2.1", "<incomplete>": "192.0.2.7"}},
		{"network.get_fqdn", nil, "web-01.example.com"},
	})
}

// A port that accepts connections is reachable, another one is not; both calls end.
func TestNetworkConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 100)
		if n, from, err := udp.ReadFrom(buf); err == nil {
			_, _ = udp.WriteTo(buf[:n], from)
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_, portUDP, _ := net.SplitHostPort(udp.LocalAddr().String())
	calls(t, newEnv(), []callCase{
		{"network.connect", []any{"127.0.0.1", port}, m{"result": true, "comment": "Successfully connected to 127.0.0.1 (127.0.0.1) on tcp port " + port}},
		{"network.connect", []any{"127.0.0.1", portUDP, kw("proto", "udp")}, m{"result": true, "comment": "Successfully connected to 127.0.0.1 (127.0.0.1) on udp port " + portUDP}},
		{"network.connect", []any{"127.0.0.1", "99999"}, m{"result": false, "comment": "Unable to resolve host 127.0.0.1 on tcp port 99999"}},
		{"network.connect", []any{"127.0.0.1"}, m{"result": false, "comment": "Required argument, port, is missing."}},
	})
	<-done
	if err := udp.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	calls(t, newEnv(), []callCase{
		{"network.connect", []any{"127.0.0.1", port}, m{"result": false, "comment": "Unable to connect to 127.0.0.1 (127.0.0.1) on tcp port " + port}},
	})
	// Nothing answers a datagram here: the wait ends with the call.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := reach(ctx, "udp", netip.MustParseAddrPort("127.0.0.1:9")); err == nil {
		t.Error("reached with a call that has ended")
	}
}

// Connections are read from /proc, sockets from netstat or ss.
func TestNetworkSockets(t *testing.T) {
	env := linuxHost(t, "netstat")
	was := procFile
	t.Cleanup(func() { procFile = was })
	procFile = func(name string) ([]byte, error) {
		switch name {
		case "net/tcp":
			return []byte("  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 0\n   1: 020200C0:0016 010200C0:C350 01 0\n   2: zz 010200C0:C350 01 0\n"), nil
		case "net/tcp6":
			return []byte("   0: B80D0120000000000000000001000000:0016 0000000000000000FFFF0000010200C0:0050 01 0\n"), nil
		}
		return nil, os.ErrNotExist
	}
	played(t, map[string]ran{
		"netstat|-tulpnea": {stdout: "Active Internet connections\nProto Recv-Q\ntcp 0 0 0.0.0.0:22 0.0.0.0:* LISTEN 0 123 1/sshd\nudp 0 0 0.0.0.0:68 0.0.0.0:* 0 456 2/dhclient\ntcp 0"},
		"ss|-tulpnea":      {stdout: "Netid State Recv-Q\ntcp ESTAB 0 36 192.0.2.2:22 192.0.2.1:5000 users:((\"sshd\",pid=7,fd=3)) timer:(on,1min,0) uid:5 ino:77 sk:1\nudp UNCONN 0 0 0.0.0.0:68 0.0.0.0:* ino:78 sk:2"},
	})
	calls(t, env, []callCase{
		{"network.active_tcp", nil, m{
			"0": m{"local_addr": "192.0.2.2", "local_port": int64(22), "remote_addr": "192.0.2.1", "remote_port": int64(50000)},
			"1": m{"local_addr": "2001:db8::1", "local_port": int64(22), "remote_addr": "192.0.2.1", "remote_port": int64(80)},
		}},
		{"network.netstat", nil, []any{
			m{"proto": "tcp", "recv-q": "0", "send-q": "0", "local-address": "0.0.0.0:22", "remote-address": "0.0.0.0:*", "state": "LISTEN", "user": "0", "inode": "123", "program": "1/sshd"},
			m{"proto": "udp", "recv-q": "0", "send-q": "0", "local-address": "0.0.0.0:68", "remote-address": "0.0.0.0:*", "user": "0", "inode": "456", "program": "2/dhclient"},
		}},
	})
	noPrograms(t)
	calls(t, env, []callCase{{"network.netstat", nil, []any{
		m{"proto": "tcp", "recv-q": "0", "send-q": "36", "local-address": "192.0.2.2:22", "remote-address": "192.0.2.1:5000", "state": "ESTABLISHED", "user": "5", "inode": "77", "program": "sshd"},
		m{"proto": "udp", "recv-q": "0", "send-q": "0", "local-address": "0.0.0.0:68", "remote-address": "0.0.0.0:*", "user": int64(0), "inode": "78", "program": ""},
	}}})
}

// The output of df and blkid is parsed as in Salt, including names with spaces and lines
// split in two.
func TestDisk(t *testing.T) {
	env := linuxHost(t)
	table := "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 264212084 23877032 71624232 26% /\nmap auto home 0 0 0 100% /home\n/dev/mapper/a-very-long-name\n 100 40 60 40% /srv"
	played(t, map[string]ran{
		"df|-P": {stdout: table}, "df|-P|-hT": {stdout: table}, "df|-iP": {stdout: "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/vda 16777216 1075612 15701604 7% /"},
		"blkid":           {stdout: "/dev/sda1: UUID=\"6a38\" LABEL=\"my disk\" TYPE=\"ext4\"\n/dev/sdb: TYPE=\"swap\""},
		"blkid|-t|TYPE=x": {retcode: 2},
		"blkid|/dev/sdb":  {stdout: "/dev/sdb: TYPE=\"swap\""},
	})
	root := m{"filesystem": "/dev/vda", "1K-blocks": "264212084", "used": "23877032", "available": "71624232", "capacity": "26%"}
	calls(t, env, []callCase{
		{"disk.usage", nil, m{
			"/": root, "/home": m{"filesystem": "map auto home", "1K-blocks": "0", "used": "0", "available": "0", "capacity": "100%"},
			"/srv": m{"filesystem": "/dev/mapper/a-very-long-name", "1K-blocks": "100", "used": "40", "available": "60", "capacity": "40%"},
		}},
		{"disk.percent", nil, m{"/": "26%", "/home": "100%", "/srv": "40%"}},
		{"disk.percent", []any{"/srv"}, "40%"},
		{"disk.percent", []any{"/nope"}, m{}},
		{"disk.usage", []any{"z"}, "ERROR: Invalid flag passed to disk.usage"},
		{"disk.usage", []any{"h -t /etc/shadow"}, "ERROR: Invalid flag passed to disk.usage"},
		{"disk.inodeusage", nil, m{"/": m{"inodes": "16777216", "used": "1075612", "free": "15701604", "use": "7%", "filesystem": "/dev/vda"}}},
		{"disk.blkid", nil, m{"/dev/sda1": m{"UUID": "6a38", "LABEL": "my disk", "TYPE": "ext4"}, "/dev/sdb": m{"TYPE": "swap"}}},
		{"disk.blkid", []any{"/dev/sdb"}, m{"/dev/sdb": m{"TYPE": "swap"}}},
		{"disk.blkid", []any{kw("token", "TYPE=x")}, m{}},
		{"disk.blkid", []any{"--version"}, "ERROR executing 'disk.blkid': device '--version' is invalid: it is empty, begins with -, or contains a line break"},
	})
	if got := result(t, env, "disk.usage", "hT").(m)["/"]; got.(m)["capacity"] != "26%" {
		t.Errorf("%v", got)
	}
}

// Whatever output a program has about interfaces, parsing it ends and returns valid
// addresses.
func FuzzIPAddr(f *testing.F) {
	f.Add(ipAddrShow)
	f.Add("1: x: <>\n inet 1\n inet6 /\n inet 1.2.3.4 brd\n link")
	f.Fuzz(func(t *testing.T, out string) {
		for _, i := range parseIPAddr(out) {
			i.value()
			for _, a := range i.addrs {
				if !a.prefix.IsValid() || !lastOf(a.prefix).IsValid() {
					t.Fatalf("%q gives %v", out, a)
				}
			}
		}
	})
}
