package remote

import "context"

type forwardKey struct{}

// Forward returns a context whose requests carry addr in the header X-Forwarded-For. The API counts
// failed logins by this address if the address of the program is among its trusted_proxies.
func Forward(ctx context.Context, addr string) context.Context {
	return context.WithValue(ctx, forwardKey{}, addr)
}
