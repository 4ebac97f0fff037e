package ownership

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/target"
)

// mastersTags are prefixes of the tags that only masters fire. They do not end in a slash, since
// reactors match patterns such as salt/key*.
//
//mutant:tag-derived,tag-of-mom,tag-netapi
var mastersTags = []string{
	"salt/auth", "salt/key", "salt/netapi", "salt/event", "salt/presence", "salt/run", "salt/syndic", "salt/wheel",
	"syndic/", "topology/", ownPrefix,
}

// ownPrefix is the prefix of tags that Salt does not have: the audit, streams of the API, the
// heartbeat of a daemon.
const ownPrefix = "mom/"

// serviceTags are prefixes of the tags of services beside the master. Salt's engines also run on
// minions: the option minion_event_tags lists the tags that minions may fire.
var serviceTags = []string{
	"salt/batch", "salt/cloud", "salt/engines", "salt/fileserver", "salt/master", "salt/queue", "salt/reactors", "salt/stats",
}

// bareTags are tags of masters that predate Salt's namespaces.
//
//mutant:tag-syndic-start
var bareTags = []string{"auth", "key", "new_job", "salt/job", "syndic_start"}

// idTags are prefixes of tags with the id of a minion in the next part, or the one after it.
//
//mutant:tag-others-state-result
var idTags = []struct {
	prefix string
	skip   int
}{
	{"salt/minion/", 0}, {"salt/proxy/", 0}, {"salt/beacon/", 0}, {"minion/refresh/", 0}, {"salt/state_result/", 1},
}

// maxTag bounds the tags of minions, in bytes. A state with fire_event has its name, which may be
// a script, in the tag.
const maxTag = 8192

var (
	errReserved = errors.New("only masters fire it")
	errForm     = errors.New("the tag is not UTF-8 of at most 8192 bytes without control characters")
)

// MayFire reports whether a minion may fire a tag, without minion_event_tags. Otherwise it could
// forge returns of others, end their jobs, or fire events in their name.
func MayFire(id, tag string) bool { return mayFire(id, tag, nil) == nil }

// MayFire returns an error if a minion may not fire a tag.
func (p *Policy) MayFire(id, tag string) error { return mayFire(id, tag, p.o.EventTags) }

// MayFireAsNode returns an error if a node may not fire a tag in its own name.
func (p *Policy) MayFireAsNode(id, tag string) error {
	if who, ok := about(tag); ok && who == id { // of a minion that shares the node's key
		return wellFormed(tag)
	}
	return p.MayRelay(id, tag)
}

// mayFire checks a tag as it is and as a lenient reader takes it: SQL compares without case, and
// programs split tags at slashes and drop empty parts.
func mayFire(id, tag string, allowed []string) error {
	if err := wellFormed(tag); err != nil {
		return err
	}
	if err := reserved(id, tag, allowed); err != nil {
		return err
	}
	return reserved(strings.ToLower(id), folded(tag), allowed)
}

func folded(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	parts := slices.DeleteFunc(strings.Split(tag, "/"), func(s string) bool { return s == "" })
	if strings.HasSuffix(tag, "/") {
		parts = append(parts, "")
	}
	return strings.Join(parts, "/")
}

// wellFormed rejects tags that a reader may take for others. Line breaks and tabs are allowed: the
// name of a state is part of its tag.
func wellFormed(tag string) error {
	if len(tag) > maxTag || !utf8.ValidString(tag) || strings.ContainsFunc(tag, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) || unicode.Is(unicode.Cf, r)
	}) {
		return errForm
	}
	return nil
}

func reserved(id, tag string, allowed []string) error {
	begins := func(p string) bool { return strings.HasPrefix(tag, p) }
	switch who, about := about(tag); {
	case about && (who != id || id == ""):
		return fmt.Errorf("it is about %q", who)
	case about:
		return nil
	case slices.Contains(bareTags, strings.TrimSpace(tag)), slices.ContainsFunc(mastersTags, begins):
		return errReserved
	case slices.ContainsFunc(serviceTags, begins):
		if slices.ContainsFunc(allowed, func(glob string) bool { return target.Glob(glob, tag) }) {
			return nil
		}
		return fmt.Errorf("%w, unless minion_event_tags lets minions fire it", errReserved)
	}
	if _, _, _, ofJob := jobevent.Parse(strings.TrimSpace(tag)); ofJob {
		return errReserved
	}
	return nil
}

// about returns the minion that a tag names.
func about(tag string) (id string, ok bool) {
	for _, t := range idTags {
		if rest, ok := strings.CutPrefix(tag, t.prefix); ok {
			part := strings.SplitN(rest, "/", t.skip+2)
			if len(part) <= t.skip {
				return "", true
			}
			return part[t.skip], true
		}
	}
	_, kind, rest, _ := jobevent.Parse(tag)
	part := strings.SplitN(rest, "/", 3) // what, id, the rest
	if kind != jobevent.KindOther || len(part) < 2 {
		return "", false
	}
	switch part[0] {
	case "prog", "sub":
		return part[1], len(part) == 3
	case "start", "unsaved":
		//mutant:returners-unsaved-of-others
		return part[1], len(part) == 2
	}
	return "", false
}
