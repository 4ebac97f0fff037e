package master

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/presence"
)

const (
	// ownersEvery is how often what nodes claim is written down.
	ownersEvery = time.Minute
	// ownerPatience is how long a return waits for the report of a node that a
	// minion has just moved to.
	ownerPatience = 2 * time.Second
)

// errConnected and its like say why a node does not speak for a minion.
var (
	errConnected = errors.New("it is connected to this master and answers for itself")
	errOwnKey    = errors.New("its key is accepted here, and no node has reported it as its own; if it has moved, delete the key here")
)

// errElsewhere may pass: a minion that has moved is still reported by its former
// node for a moment.
type errElsewhere struct{ node string }

func (e errElsewhere) Error() string { return "it is connected to node " + e.node }

// mayAnswer tells whether a node right below speaks for a minion: where the
// minion is connected now decides, else where it is known. Of a Python syndic the
// minions are not known, so it is believed of all whom nobody else has. A minion
// of several masters is known to several nodes, and each may speak for it.
func (m *Master) mayAnswer(node, id string) error {
	if err := keys.ValidID(id); err != nil {
		return err
	}
	if m.answersHere(id) {
		return errConnected
	}
	if m.owners.has(node, id) {
		return nil
	}
	if other, ok := m.owners.elsewhere(id, m.nodeUp); ok {
		return errElsewhere{other}
	}
	// A Python minion tells nobody where it is; one of ours that is away may
	// have moved.
	if id != node && m.keys.Accepted(id) && !m.nodes.has(id) && m.presence.Role(id) == "" {
		return errOwnKey
	}
	return nil
}

func (m *Master) nodeUp(id string) bool { return m.presence.Live(id) == ledger.Up }

// settleOwner is mayAnswer for a return, which must not get lost: the node may
// have been joined by the minion a moment ago, so its next report is waited for.
func (m *Master) settleOwner(ctx context.Context, node, id string) error {
	var elsewhere errElsewhere
	for {
		next := m.owners.next()
		err := m.mayAnswer(node, id)
		if !errors.As(err, &elsewhere) || m.presence.Role(node) != presence.Syndic {
			return err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return err
		}
	}
}

// owned is mayAnswer for what a node says of a job, counted.
func (m *Master) owned(node, jid, id string) bool {
	err := m.mayAnswer(node, id)
	if err != nil {
		m.trespassed(trespass{kind: trespassExpectation, path: node, id: id, jid: jid, err: err})
	}
	return err == nil
}

// ownedBy leaves out of a node's minions those that are not its own.
func (m *Master) ownedBy(node, jid string, ids []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return !m.owned(node, jid, id) })
}

// mastersTags begin the tags that say what only a master knows.
var mastersTags = []string{
	"salt/auth", "salt/key", "salt/run/", "salt/wheel/", "salt/presence/", "salt/syndic/", "salt/stats/", "salt/fileserver/",
	"syndic/", "topology/",
}

// ownTags begin the tags whose next part is the id of the minion they are about.
var ownTags = []string{"salt/minion/", "salt/beacon/", "minion/refresh/"}

// mayFire tells whether a minion may fire a tag. It could otherwise forge the
// returns of others, end their jobs, or speak in their name.
func mayFire(id, tag string) bool {
	if jid.Valid(tag) || tag == "key" {
		return false
	}
	for _, p := range mastersTags {
		if strings.HasPrefix(tag, p) {
			return false
		}
	}
	if who, ok := about(tag); ok {
		return who == id
	}
	return !strings.HasPrefix(tag, "salt/job/")
}

// about names the minion that an event is about, by its tag.
func about(tag string) (id string, ok bool) {
	for _, p := range ownTags {
		if rest, ok := strings.CutPrefix(tag, p); ok {
			who, _, _ := strings.Cut(rest, "/")
			return who, true
		}
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	if !ok {
		return "", false
	}
	part := strings.SplitN(rest, "/", 4) // jid, kind, id, the rest
	if len(part) == 4 && (part[1] == "prog" || part[1] == "sub") {
		return part[2], true
	}
	return "", false
}

// mayRelay tells why a node may not pass a tag on, if so: returns come as
// returns, the end of a job below is not its end here, a key rotation is the
// affair of the one master, and minions and nodes of this master speak for
// themselves. What a minion of another node does is believed, as minions move and
// the news of it may be late.
func (m *Master) mayRelay(node, tag string) error {
	if tag == "key" {
		return errors.New("a rotation of keys is the affair of that master")
	}
	for _, p := range []string{"syndic/", "salt/syndic/"} {
		rest, ok := strings.CutPrefix(tag, p)
		if !ok {
			continue
		}
		who, _, _ := strings.Cut(rest, "/")
		if who != node && m.nodeUp(who) && m.nodes.has(who) && !m.owners.has(node, nodeKey(who)) {
			return fmt.Errorf("node %s is connected to this master and speaks for itself", who)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(tag, "salt/run/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		if _, here := m.runs.Load(id); here {
			return errors.New("the runner call is one of this master's, which tells its result")
		}
	}
	if who, ok := about(tag); ok && m.answersHere(who) {
		return fmt.Errorf("minion %s: %w", who, errConnected)
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	if !ok {
		return nil
	}
	_, what, _ := strings.Cut(rest, "/")
	if what == "complete" || what == "ret" || strings.HasPrefix(what, "ret/") {
		return errors.New("returns come as returns, and only this master ends its jobs")
	}
	return nil
}
