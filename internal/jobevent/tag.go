package jobevent

import (
	"strings"

	"github.com/momtree/mom/internal/jid"
)

// Prefix begins the tags of all events of jobs but that of an [Expectation]. It is for
// subscriptions; [Parse] reads tags.
const Prefix = "salt/job/"

// Kind is what an event of a job tells.
type Kind uint8

// The kinds of events.
const (
	// KindOther is whatever else is told of a job, such as its progress.
	KindOther Kind = iota
	KindExpectation
	KindNew
	KindMissing
	KindComplete
	KindClosed
	KindReturn
	// KindPublication is the whole publication, which a master of Salt 3008 fires too.
	KindPublication
)

// Parse reads the tag of an event; ok is false if it is no job's. Of a return rest is the
// id of the minion, of KindOther what stands behind the job. Under [Prefix] anybody may
// fire anything, so the job is as it stands there: whoever does more with it than compare
// it asks [jid.Valid].
func Parse(tag string) (id string, kind Kind, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(tag, Prefix); !ok {
		if jid.Valid(tag) {
			return tag, KindExpectation, "", true
		}
		return "", KindOther, "", false
	}
	id, rest, _ = strings.Cut(rest, "/")
	if minion, is := strings.CutPrefix(rest, "ret/"); is {
		return id, KindReturn, minion, true
	}
	switch rest {
	case "new":
		return id, KindNew, "", true
	case "missing":
		return id, KindMissing, "", true
	case "complete":
		return id, KindComplete, "", true
	case "closed":
		return id, KindClosed, "", true
	case "ret":
		return id, KindReturn, "", true
	case "publish":
		return id, KindPublication, "", true
	}
	return id, KindOther, rest, true
}

// TagComplete is the tag of the [Complete] of a job.
func TagComplete(jid string) string { return Prefix + jid + "/complete" }

// TagReturn is the tag of the return of a minion.
func TagReturn(jid, minion string) string { return Prefix + jid + "/ret/" + minion }
