package modules

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

func TestProcParsers(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  any
		want any
	}{
		{"meminfo", parseMeminfo("MemTotal:  100 kB\nHugePages_Total:   0\nbad\n"), m{"MemTotal": m{"value": "100", "unit": "kB"}, "HugePages_Total": m{"value": "0"}}},
		{"cpuinfo", parseCPUInfo("processor\t: 0\nflags\t: a b\n\nprocessor\t: 1\nbugs\t:\n"), m{"processor": "1", "flags": []any{"a", "b"}, "bugs": ""}},
		{"stat", parseStat("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2\nintr 9 1 0\nctxt 5\nsoftirq 7 3\ncpu 1\n"), m{
			"cpu":     m{"user": int64(1), "nice": int64(2), "system": int64(3), "idle": int64(4), "iowait": int64(5), "irq": int64(6), "softirq": int64(7), "steal": int64(8)},
			"cpu0":    int64(1),
			"intr":    m{"total": int64(9), "irqs": []any{int64(1), int64(0)}},
			"ctxt":    int64(5),
			"softirq": m{"total": int64(7), "softirqs": []any{int64(3)}},
		}},
		{"diskstats", parseDiskstats(" 8 0 sda 1 2 3 4 5 6 7 8 9 10 11 99\nshort 1\n"), m{"sda": m{
			"major": int64(8), "minor": int64(0), "device": "sda", "reads_issued": int64(1), "reads_merged": int64(2),
			"sectors_read": int64(3), "ms_spent_reading": int64(4), "writes_completed": int64(5), "writes_merged": int64(6),
			"sectors_written": int64(7), "ms_spent_writing": int64(8), "io_in_progress": int64(9), "ms_spent_in_io": int64(10),
			"weighted_ms_spent_in_io": int64(11),
		}}},
		{"netdev", parseNetDev("Inter-| Receive\n face |bytes\n eth0:1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"), m{"eth0:1": m{
			"iface": "eth0:1", "rx_bytes": int64(1), "rx_packets": int64(2), "rx_errs": int64(3), "rx_drop": int64(4),
			"rx_fifo": int64(5), "rx_frame": int64(6), "rx_compressed": int64(7), "rx_multicast": int64(8), "tx_bytes": int64(9),
			"tx_packets": int64(10), "tx_errs": int64(11), "tx_drop": int64(12), "tx_fifo": int64(13), "tx_colls": int64(14),
			"tx_carrier": int64(15), "tx_compressed": int64(16),
		}}},
		{"vmstat", parsePairs("nr_free 5\nbad\nx 1.5\n"), m{"nr_free": int64(5), "x": 1.5}},
		{"netstat", parseNetstat("TcpExt: A B\nTcpExt: 1 2\nIpExt: C\nIpExt: 18446744073709551615\n"), m{"TcpExt": m{"A": int64(1), "B": int64(2)}, "IpExt": m{"C": uint64(18446744073709551615)}}},
	} {
		same(t, tt.name, plainValue(tt.got), tt.want)
	}
	if got := parseMounts("/dev/sda1 /a\\040b ext4 rw 0 0\nx y\n"); len(got) != 1 || got[0] != (mount{"/a b", "ext4"}) {
		t.Errorf("mounts = %v", got)
	}
}

func TestParseProcStat(t *testing.T) {
	st, ok := parseProcStat("42 (a) b (c)) S 1 42 42 34816 50 4194304 1 2 3 4 7 8 0 0 20 0")
	if want := (procStat{comm: "a) b (c)", pgrp: 42, tty: 34816, tpgid: 50, ticks: 15}); !ok || st != want {
		t.Errorf("stat = %+v, %v; want %+v", st, ok, want)
	}
	for _, bad := range []string{"", "1 (x", "1 (x) S 1", ")(", "1 (x) S a b c d e f g h i j k l m"} {
		if _, ok := parseProcStat(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
}

// utmpRecord returns one record of the utmp file.
func utmpRecord(kind int16, user, line string, at time.Time) []byte {
	b := make([]byte, utmpSize)
	binary.NativeEndian.PutUint16(b, uint16(kind))
	copy(b[8:40], line)
	copy(b[44:76], user)
	binary.NativeEndian.PutUint32(b[340:], uint32(at.Unix()))
	return b
}

func TestSessions(t *testing.T) {
	at := time.Unix(1700000000, 0)
	b := append(utmpRecord(2, "reboot", "~", at), utmpRecord(utmpUser, "alice", "no/such-tty", at)...)
	got := parseUtmp(append(b, 1, 2, 3))
	if len(got) != 1 || got[0].user != "alice" || got[0].line != "no/such-tty" || !got[0].login.Equal(at) {
		t.Fatalf("sessions = %+v", got)
	}
	same(t, "w", plainValue(describeSession(got[0], nil, at.Add(time.Hour))), any(m{
		"idle": "?", "jcpu": "0.00s", "pcpu": "0.00s", "login": at.Format("15:04"), "tty": "no/such-tty", "user": "alice", "what": "-",
	}))
}

func TestTimeTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		3 * time.Second: "3.00s", 62 * time.Second: "1:02", 125 * time.Minute: "2:05m", 73 * time.Hour: "3days", -1: "0.00s",
	} {
		if got := spanText(d); got != want {
			t.Errorf("spanText(%v) = %s, want %s", d, got, want)
		}
	}
	now := time.Date(2024, 5, 15, 18, 0, 0, 0, time.UTC) // a Wednesday
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{now.Add(-time.Hour), "17:00"}, {now.Add(-50 * time.Hour), "Mon16"}, {now.Add(-30 * 24 * time.Hour), "15Apr24"},
	} {
		if got := loginText(tt.at, now); got != tt.want {
			t.Errorf("loginText(%v) = %s, want %s", tt.at, got, tt.want)
		}
	}
}

func FuzzProcParsers(f *testing.F) {
	for _, s := range []string{
		"MemTotal: 1 kB", "cpu 1 2 3 4 5 6 7 8", " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11", "eth0: 1 2", "A: b\nA: 1", "a /x\\040 t",
		"1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := []any{
			parseMeminfo(text), parseCPUInfo(text), parseStat(text), parseDiskstats(text), parseNetDev(text),
			parsePairs(text), parseNetstat(text),
		}
		if _, err := wire.Encode(out); err != nil {
			t.Fatal(err)
		}
		parseMounts(text)
		parseProcStat(text)
		parseUtmp([]byte(text))
	})
}
