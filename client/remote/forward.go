package remote

import "context"

type forwardKey struct{}

// Forward returns a context whose requests name the address that they are made for, in the
// header X-Forwarded-For. The API counts failed logins by it if the address of this program is
// among its trusted_proxies.
func Forward(ctx context.Context, addr string) context.Context {
	return context.WithValue(ctx, forwardKey{}, addr)
}
