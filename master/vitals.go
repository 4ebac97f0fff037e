package master

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// vitalsWait bounds the look at the outbox, and vitalsJobs the open jobs whose
// minions at work are counted.
const (
	vitalsWait = 3 * time.Second
	vitalsJobs = 1000
)

// vitals reads this master's figures. It costs what listing the keys and the open
// jobs does.
func (m *Master) vitals(started time.Time) topology.Vitals {
	v := topology.Vitals{Addr: m.address(), Started: started, Connected: m.presence.Connected(), Load: load(), Memory: residentBytes()}
	for _, id := range m.keys.List(keys.Accepted) {
		if !m.nodes.Has(id) {
			v.Accepted++
		}
	}
	for _, id := range m.nodes.List() {
		if m.nodeState(id) == topology.Up {
			v.Connected--
		}
	}
	v.Connected = max(v.Connected, 0)
	jobs, total := m.ledger.Summaries(vitalsJobs, 0)
	v.Jobs = total
	for _, j := range jobs {
		v.Working += j.Waiting
	}
	ctx, cancel := context.WithTimeout(m.ctx, vitalsWait)
	defer cancel()
	var oldest time.Time
	for _, dest := range []string{returners.DestMySQL, returners.DestParent("above")} {
		rows, since, err := m.store.Outbox().OutboxDepth(ctx, dest)
		if err != nil {
			if m.ctx.Err() == nil {
				m.log.Warn("What is owed could not be counted", "to", dest, "err", err)
			}
			continue
		}
		v.Owed += int(rows)
		if !since.IsZero() && (oldest.IsZero() || since.Before(oldest)) {
			oldest = since
		}
	}
	if !oldest.IsZero() {
		v.OwedAge = max(m.now().Sub(oldest), 0).Round(time.Second)
	}
	return v
}

// address is where the request port is reached, as far as this host knows: by
// its name when all interfaces are served.
func (m *Master) address() string {
	_, port := m.Ports()
	host := strings.Trim(m.cfg.Interface, "[]")
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host, _ = os.Hostname()
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// load is the machine's load average over one minute; 0 where it is not told.
func load() float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), " ")
	x, _ := strconv.ParseFloat(first, 64)
	return x
}

// residentBytes is the memory of this process in bytes; 0 where it is not told.
func residentBytes() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
