package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// standing are the commands that ask a master, and what they share: they stand on package
// client. What they need beside it, and why, is here; whatever else is below the client is
// not for them.
var standing = map[string]map[string]string{
	"command": nil,
	"options": nil,
	"report":  nil,
	"saltcp":  nil,
	"tree":    nil,
	"acl": {
		"master/access/verdict": "the form of an explanation, and how it is drawn",
	},
	"health": {
		"internal/config": "whether a folder is a master's, a node's or a minion's, and the minion's id",
	},
	"node": {
		"internal/admitted": "admit writes beside the keys of the master, which need not run",
		"internal/config":   "where those are",
	},
	"salt": {
		"internal/config":         "the option tracing",
		"internal/tracing/export": "the span with which the trace of a job begins",
		"salt/modules":            "the names of functions, for completion and advice",
		"salt/modules/state":      "the functions themselves",
	},
	"saltkey": {
		"internal/admitted": "who loses the key loses the admission",
		"internal/config":   "where the keys are; the master need not run",
		"internal/crypt":    "--gen-keys and --gen-signature",
		"master/keys":       "the folders of keys are the store, for the master as well",
	},
	"saltrun": {
		"master/runners": "the documentation of functions, for which the master need not run",
	},
}

// apart are the folders that are no such commands.
var apart = map[string]string{
	"daemons":  "the daemons themselves",
	"debug":    "reads the files and the socket of a daemon of this machine",
	"demo":     "a tree of processes",
	"doctor":   "asks the registries of the whole program what is served",
	"momtest":  "trees of processes for tests",
	"plan":     "measures this machine",
	"results":  "answers the API from a database, where no master is",
	"saltcall": "a minion without a master's order",
}

// aside are libraries that know nothing of a master: of terminals, text, values, time, logs.
var aside = []string{
	"client", "client/remote", "value", "topology", "topology/trace",
	"internal/posix", "internal/process", "internal/callargs", "internal/daemon", "internal/jid", "internal/output", "internal/config", "internal/timing", "internal/terminal", "internal/versions", "salt/pyfmt",
}

// Commands stand on package client and on nothing deeper; an exception that is not needed
// any more is one too many.
func TestCommandsStandOnTheClient(t *testing.T) {
	dirs, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		exceptions, stands := standing[d.Name()]
		switch _, other := apart[d.Name()]; {
		case !d.IsDir() || other || d.Name() == "testdata":
			continue
		case !stands:
			t.Errorf("mom/%s is neither among the commands that stand on the client nor apart", d.Name())
			continue
		}
		var used []string
		importtest.Each(t, d.Name(), func(_, path string) { used = append(used, path) })
		for _, path := range used {
			other, command := strings.CutPrefix(path, "mom/")
			if _, ok := standing[other]; command && ok {
				continue
			}
			if !slices.Contains(aside, path) && exceptions[path] == "" {
				t.Errorf("mom/%s imports %s, which is below the client: what it needs of it belongs there", d.Name(), path)
			}
		}
		for path := range exceptions {
			if !slices.Contains(used, path) {
				t.Errorf("mom/%s need not be allowed to import %s", d.Name(), path)
			}
		}
	}
}
