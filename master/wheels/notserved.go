package wheels

import (
	"context"
	"errors"
)

// notServed lists functions that Salt's tools call and that are refused, with the reason and the
// alternative.
var notServed = []struct{ name, why string }{
	{"key.gen_keys", "it writes keys to a path of the caller; key.gen returns a pair, salt-key --gen-keys writes one on the machine itself"},
	{"file_roots.find", noFiles},
	{"file_roots.list_env", noFiles},
	{"file_roots.list_roots", noFiles},
	{"file_roots.read", noFiles},
	{"file_roots.write", noFiles},
	{"pillar_roots.find", noPillar},
	{"pillar_roots.list_env", noPillar},
	{"pillar_roots.list_roots", noPillar},
	{"pillar_roots.read", noPillar},
	{"pillar_roots.write", noPillar},
}

const (
	noFiles  = "files for minions are changed in the directories of file_roots, not remotely; the runner fileserver.file_list lists them"
	noPillar = "pillar is changed in the directories of pillar_roots, not remotely; the runner pillar.show_pillar shows the pillar of a minion"
)

func init() {
	for _, f := range notServed {
		refusal := errors.New(f.name + " is not served: " + f.why)
		Register(Function{
			Name: f.name, Args: []string{"*"}, AnyKwargs: true,
			Run: func(context.Context, *Call) (any, error) { return nil, refusal },
			Doc: "\nNot served: " + f.why + ".\n\n    wheel.cmd('" + f.name + "')\n",
		})
	}
}
