package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/master/admission"
)

// Who may give a command. The rule says as well how the command comes: in clear from
// this machine, where local users are, or sealed from minions and nodes.
type Who int

// The rules.
const (
	// Anyone in clear, strangers as well.
	Anyone Who = iota + 1
	// User is, in clear, whoever has the key of a user: of the one that the master runs
	// as, or of one that publisher_acl names.
	User
	// Operator is, in clear, whoever has the key of the user that the master runs as.
	Operator
	// Peer is, sealed, a minion or node whose key is accepted. Before protocol 3 it is
	// whoever has the shared key, and may claim any id.
	Peer
	// Proven is, sealed, a [Peer] that has shown to have the key of its id, which
	// everybody has in protocol 3. Others are answered by an empty map, as Salt does.
	Proven
	// Node is, sealed, a Proven peer that is a node right below this master.
	Node
)

// Sealed tells whether commands with this rule come sealed.
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

// Command is one command of port 4506.
type Command struct {
	Name string
	// Doc says what it does and what its arguments are; its first line stands for it in
	// lists.
	Doc string
	// Args are the fields of the load that it reads, but for those that all commands
	// have: cmd, key and user of one in clear, cmd, id, nonce, ts and tok of a sealed
	// one.
	Args []string
	Who  Who
	// WhoOf gives the rule by the function that the load names, where one command
	// calls many: [User] or [Operator]. nil: Who is the rule of all.
	WhoOf func(fun string) Who
	// NoAccess words the refusal of a local user, by what the call came with: "user"
	// (a key), "token" or "eauth". nil: [ErrNoAccess].
	NoAccess func(with string) Refusal
	// Logins says that users of login services may give it as well: its handler holds
	// them to the rules of [Request.Login].
	Logins bool
	// Whole says that what is large in the load of a sealed command stays undecoded, so
	// that it may have more values than [MaxValues].
	Whole bool
	// Costly has requests wait for few workers; nil: each is served at once.
	Costly *Costly
}

// Costly are the bounds of a command in clear that costs the master so much that few at
// once are served. It cannot ask for a key.
type Costly struct {
	MaxBytes int             // of the load; a larger one does not wait
	TooLarge admission.Cause // what the operator is told of those
	Full     admission.Cause // of one that found no room to wait
}

// Handler serves a command. Its value is the answer: sealed for the sender if the
// request was, unless it is [Clear]. An error is logged and answered by an empty text, as
// Salt does; to a local user by its text, under Salt's name for it if it is a [Refusal].
type Handler func(ctx context.Context, r *Request) (any, error)

// check tells what is wrong with how a command is declared.
func (c Command) check() error {
	switch {
	case c.Who < Anyone || c.Who > Node:
		return fmt.Errorf("command %q does not say who may give it", c.Name)
	case strings.TrimSpace(c.Doc) == "":
		return fmt.Errorf("command %q is not documented", c.Name)
	case c.Costly != nil && c.Who != Anyone, c.Whole && !c.Who.Sealed(), c.WhoOf != nil && c.Who.Sealed(), c.Logins && (c.Who == Anyone || c.Who.Sealed()), c.NoAccess != nil && c.Who.Sealed():
		return fmt.Errorf("command %q: %v goes with none of this", c.Name, c.Who)
	}
	for _, a := range c.Args {
		if !strings.Contains(c.Doc, a) {
			return fmt.Errorf("command %q: its argument %s is not documented", c.Name, a)
		}
	}
	return nil
}
