package runners

import (
	"context"
	"errors"
	"strings"
)

// notServed lists functions that Salt's tools call and that are refused, with the reason and the
// alternative.
var notServed = []struct{ name, why string }{
	{"cache.cloud", "salt-cloud is not available"},
	{"http.query", "a master does not fetch pages for its callers, who could reach hosts that only the master can reach; run curl on the host, or http.query on a Salt minion"},
	{"http.update_ca_bundle", "a master does not change the certificates of its host; use the packages of the system"},
	{"manage.bootstrap", "it needs salt-ssh, which is not part of this server; install the minion by its package and accept its key with salt-key -a ID"},
	{"manage.bootstrap_psexec", "it needs psexec, which is not part of this server; install the minion by its package and accept its key with salt-key -a ID"},
	{"manage.key_regen", "it would delete the keys of the master and of all its minions at once, and each minion would have to be repaired by hand; to renew the key of a minion: " +
		"salt ID saltutil.regen_keys, salt-key -d ID, restart the minion, salt-key -a ID"},
	{"manage.safe_accept", "it needs salt-ssh, which is not part of this server; compare salt-key -f ID with salt-call --local key.finger at the minion, then salt-key -a ID"},
	{"salt.cmd", "a master runs no execution modules; run a minion beside it and call salt ID FUNCTION, or salt.execute"},
}

func init() {
	for _, f := range notServed {
		refusal := errors.New(f.name + " is not served: " + f.why)
		Register(Function{
			Name: f.name, Args: []string{"*"}, AnyKwargs: true,
			Run: func(context.Context, *Call) (any, error) { return nil, refusal },
			Doc: "\nNot served: " + wrapped(f.why, 84) + ".\n\n    salt-run " + f.name + "\n",
		})
	}
}

// wrapped breaks a sentence into lines of at most width bytes.
func wrapped(text string, width int) string {
	var b strings.Builder
	n := len("Not served: ")
	for i, w := range strings.Fields(text) {
		switch {
		case i == 0:
		case n+1+len(w) > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(w)
		n += len(w)
	}
	return b.String()
}
