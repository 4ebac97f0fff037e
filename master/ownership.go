package master

import (
	"strings"

	"github.com/momtree/mom/internal/jid"
)

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
	for _, p := range ownTags {
		if rest, ok := strings.CutPrefix(tag, p); ok {
			who, _, _ := strings.Cut(rest, "/")
			return who == id
		}
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	if !ok {
		return true
	}
	part := strings.SplitN(rest, "/", 4) // jid, kind, id, the rest
	return len(part) == 4 && (part[1] == "prog" || part[1] == "sub") && part[2] == id
}

// mayRelay tells whether a node may pass a tag on: returns come as returns, and
// the end of a job below is not its end here.
func mayRelay(tag string) bool {
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	if !ok {
		return true
	}
	_, what, _ := strings.Cut(rest, "/")
	return what != "complete" && what != "ret" && !strings.HasPrefix(what, "ret/")
}
