package runners

import "context"

type callKey struct{}

// withCall returns a context that carries the job id of a runner call.
func withCall(ctx context.Context, jid string) context.Context {
	return context.WithValue(ctx, callKey{}, jid)
}

// CallOf returns the job id of the runner call that ctx belongs to, or "" if there is no such call.
func CallOf(ctx context.Context) string {
	jid, _ := ctx.Value(callKey{}).(string)
	return jid
}
