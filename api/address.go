package api

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/momtree/mom/api/listener"
)

// proxies are the addresses of trusted_proxies.
type proxies []netip.Prefix

// contains reports whether an address is that of a trusted proxy.
func (p proxies) contains(addr string) bool {
	a, err := netip.ParseAddr(addr)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(a) })
}

// clientOf returns the address of the client of a request: that of the connection or, behind a
// trusted proxy, the last address in X-Forwarded-For that is not such a proxy.
func (p proxies) clientOf(r *http.Request) string {
	addr := listener.HostOf(r.RemoteAddr)
	//mutant:api-proxies
	if !p.contains(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		a, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return addr // the text before it may come from anybody
		}
		if addr = a.Unmap().WithZone("").String(); !p.contains(addr) {
			return addr
		}
	}
	return addr
}
