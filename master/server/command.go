package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/master/admission"
)

// Who may give a command. The rule also says how the command arrives: in clear from local users of
// this machine, or encrypted from minions and nodes.
type Who int

// The rules.
const (
	// Anyone admits clear commands from anyone, including strangers.
	Anyone Who = iota + 1
	// User admits clear commands with the key of a user: the master's own, or one in
	// publisher_acl.
	User
	// Operator admits clear commands with the key of the master's own user.
	Operator
	// Peer admits encrypted commands of minions and nodes with an accepted key. Before protocol 3
	// any holder of the shared key may claim any id.
	Peer
	// Proven admits encrypted commands of a [Peer] that has proved to own the key of its id, as all
	// do in protocol 3. Others get an empty map, as in Salt.
	Proven
	// Node admits encrypted commands of a Proven peer that is a node directly below this master.
	Node
)

// Sealed reports whether commands with this rule arrive encrypted.
func (w Who) Sealed() bool { return w >= Peer }

func (w Who) String() string {
	switch w {
	case Anyone:
		return "anyone"
	case User:
		return "a user with a key"
	case Operator:
		return "the user of the master"
	case Peer:
		return "a minion or node"
	case Proven:
		return "a minion or node, proven"
	case Node:
		return "a node right below"
	}
	return fmt.Sprintf("Who(%d)", int(w))
}

// Command is a command of port 4506.
type Command struct {
	Name string
	// Doc describes the command and its arguments; lists show its first line.
	Doc string
	// Args are the fields of the load that it reads, except those of all commands: cmd, key and
	// user in clear; cmd, id, nonce, ts and tok if encrypted.
	Args []string
	Who  Who
	// WhoOf returns the rule for the function in the load, if the command calls functions: [User]
	// or [Operator]. nil: use Who.
	WhoOf func(fun string) Who
	// NoAccess returns the refusal of a local user. with is "user" (a key), "token" or "eauth".
	// nil: [ErrNoAccess].
	NoAccess func(with string) Refusal
	// Logins admits users of login services, too. The handler checks the rules of [Request.Login].
	Logins bool
	// Whole leaves large values in the load of an encrypted command undecoded, so that it may have
	// more values than [MaxValues].
	Whole bool
	// Costly makes requests wait for a limited number of workers; nil: no limit.
	Costly *Costly
}

// Costly limits an expensive clear command that requires no key.
type Costly struct {
	MaxBytes int             // of the load; a larger one does not wait
	TooLarge admission.Cause // cause reported for oversized requests
	Full     admission.Cause // cause reported when the queue is full
}

// Handler serves a command and returns the answer. The answer to an encrypted request is encrypted
// for the sender, unless it is [Clear]. An error is logged and answered with an empty string, as in
// Salt. A local user gets its text, with Salt's error name if it is a [Refusal].
type Handler func(ctx context.Context, r *Request) (any, error)

// check returns an error if the declaration of a command is invalid.
func (c Command) check() error {
	switch {
	case c.Who < Anyone || c.Who > Node:
		return fmt.Errorf("command %q has no access rule", c.Name)
	case strings.TrimSpace(c.Doc) == "":
		return fmt.Errorf("command %q is not documented", c.Name)
	case c.Costly != nil && c.Who != Anyone, c.Whole && !c.Who.Sealed(), c.WhoOf != nil && c.Who.Sealed(), c.Logins && (c.Who == Anyone || c.Who.Sealed()), c.NoAccess != nil && c.Who.Sealed():
		return fmt.Errorf("command %q: options do not apply to %v", c.Name, c.Who)
	}
	for _, a := range c.Args {
		if !strings.Contains(c.Doc, a) {
			return fmt.Errorf("command %q: its argument %s is not documented", c.Name, a)
		}
	}
	return nil
}
