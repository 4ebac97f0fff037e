package jobevent

import (
	"errors"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// Unsaved reports that a returner of a minion did not save the return of a job. The minion
// fires it itself, so its id can be trusted only as far as the master has checked the tag.
type Unsaved struct{ JID, ID, Reason string }

// maxUnsaved bounds the reason in bytes.
const maxUnsaved = 1000

var errNotUnsaved = errors.New("event is not about a return that was not saved")

// DecodeUnsaved decodes a minion's event, whose data is inside the fields of the request.
func DecodeUnsaved(tag string, data wire.Raw) (Unsaved, error) {
	jid, kind, rest, ok := Parse(tag)
	id, is := strings.CutPrefix(rest, "unsaved/")
	if !ok || kind != KindOther || !is || id == "" || strings.Contains(id, "/") {
		return Unsaved{}, errNotUnsaved
	}
	d, err := wire.DecodeMap(data)
	if err != nil {
		return Unsaved{}, err
	}
	if inner := d.Map("data"); inner != nil {
		d = inner
	}
	reason := d.String("err")
	if len(reason) > maxUnsaved {
		reason = strings.ToValidUTF8(reason[:maxUnsaved], "") + "…"
	}
	return Unsaved{JID: jid, ID: id, Reason: reason}, nil
}
