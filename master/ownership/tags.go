package ownership

import (
	"strings"

	"github.com/momtree/mom/internal/jobevent"
)

// mastersTags begin the tags that say what only a master knows.
var mastersTags = []string{
	"salt/auth", "salt/key", "salt/run/", "salt/wheel/", "salt/presence/", "salt/syndic/", "salt/stats/", "salt/fileserver/", "salt/cloud/",
	"syndic/", "topology/", auditTag,
}

// auditTag begins the tag that tells who asked a master for what (package access).
const auditTag = "mom/audit"

// ownTags begin the tags whose next part is the id of the minion they are about.
var ownTags = []string{"salt/minion/", "salt/beacon/", "minion/refresh/"}

// MayFire tells whether a minion may fire a tag. It could otherwise forge the
// returns of others, end their jobs, or speak in their name.
func MayFire(id, tag string) bool {
	if tag == "key" {
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
	_, _, _, ofJob := jobevent.Parse(tag)
	return !ofJob
}

// about names the minion that an event is about, by its tag.
func about(tag string) (id string, ok bool) {
	for _, p := range ownTags {
		if rest, ok := strings.CutPrefix(tag, p); ok {
			who, _, _ := strings.Cut(rest, "/")
			return who, true
		}
	}
	_, kind, rest, _ := jobevent.Parse(tag)
	part := strings.SplitN(rest, "/", 3) // what, id, the rest
	if kind == jobevent.KindOther && len(part) == 3 && (part[0] == "prog" || part[0] == "sub") {
		return part[1], true
	}
	return "", false
}
