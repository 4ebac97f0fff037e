package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/momtree/mom/client/remote"
)

// hostOf is an address without its port.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// proxied reports whether an address is that of a proxy whose word on addresses counts.
func (o Options) proxied(addr string) bool {
	a, err := netip.ParseAddr(addr)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(o.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// addressOf is the address that a request comes from: that of the connection, or, behind a
// proxy of trusted_proxies, the last one in X-Forwarded-For that is not such a proxy.
func (s *Server) addressOf(r *http.Request) string {
	addr := hostOf(r.RemoteAddr)
	//mutant:api-proxies
	if !s.o.proxied(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		a, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return addr // what is in front of it is anybody's text
		}
		if addr = a.Unmap().WithZone("").String(); !s.o.proxied(addr) {
			return addr
		}
	}
	return addr
}

// withAddress lets a gateway say to the API above who asks.
func withAddress(ctx context.Context, addr string) context.Context { return remote.Forward(ctx, addr) }
