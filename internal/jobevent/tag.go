package jobevent

import (
	"strings"

	"github.com/momtree/mom/internal/jid"
)

// Prefix begins the tags of all job events except that of an [Expectation]. Use it for
// subscriptions and [Parse] to read tags.
const Prefix = "salt/job/"

// Kind is the kind of a job event.
type Kind uint8

// The kinds of events.
const (
	// KindOther is any other event of a job, such as its progress.
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

// Parse reads the tag of an event; ok is false if it is not a job event. rest is the id of the
// minion for KindReturn, and the text after the jid for KindOther. Anybody may fire any event
// under [Prefix], so Parse does not check the jid: a caller that does more than compare it must
// call [jid.Valid].
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

// TagComplete returns the tag of the [Complete] event of a job.
func TagComplete(jid string) string { return Prefix + jid + "/complete" }

// TagReturn returns the tag of a minion's return.
func TagReturn(jid, minion string) string { return Prefix + jid + "/ret/" + minion }
