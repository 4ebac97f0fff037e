package runners

import "context"

type callKey struct{}

// withCall has a context say which call works under it.
func withCall(ctx context.Context, jid string) context.Context {
	return context.WithValue(ctx, callKey{}, jid)
}

// CallOf gives the id of the call that works under a context; "": none does.
func CallOf(ctx context.Context) string {
	jid, _ := ctx.Value(callKey{}).(string)
	return jid
}
