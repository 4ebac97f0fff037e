package access

import (
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// AuditTag is the tag of audit events, which report requests to a master. event_return stores them
// like all others.
const AuditTag = "mom/audit"

const (
	// auditRefusals is the default number of refusals reported per second.
	auditRefusals = 20
	// auditText and auditArgs bound each text of an event, in bytes, and the number of
	// arguments.
	auditText = 128
	auditArgs = 16
)

// Asked is one request to a master.
type Asked struct {
	// Kind is what was requested: "publish", "runner", "wheel" or "login".
	Kind string
	// Door is how the user was authenticated: "key", "eauth" or "token"; "peer" for a minion.
	Door string
	// User is the user, Eauth the login service that authenticated it, From its address.
	User, Eauth, From string
	// Fun and Call are the request. For a publication of several functions, Fun lists them
	// with commas, and Call has the arguments of the first.
	Fun  string
	Call Call
	// Target, TargetType and JID are those of a publication.
	Target     any
	TargetType string
	JID        string
	Allowed    bool
	// Reason is why it was refused, from [verdict.Verdict.String].
	Reason string
}

// AuditOptions of [NewAudit].
type AuditOptions struct {
	// Node is the id of the master in events.
	Node string
	// Fire sends an event to the bus.
	Fire func(tag string, data *wire.Map) error
	// Refusals is how many refusals are reported per second. More are counted, and the next
	// event has the count. Allowed requests are always reported. Default 20.
	Refusals int
	Log      *slog.Logger
	Now      func() time.Time
}

// Audit reports requests, their senders, and whether they were allowed. It is safe for concurrent use.
type Audit struct {
	o AuditOptions

	mu     sync.Mutex
	second int64 // to which sent applies
	sent   int
	unsent int
}

// NewAudit returns an Audit.
func NewAudit(o AuditOptions) *Audit {
	if o.Refusals <= 0 {
		o.Refusals = auditRefusals
	}
	return &Audit{o: o}
}

// Note reports a request.
func (a *Audit) Note(q Asked) {
	unsent, send := a.admit(q.Allowed)
	if !send {
		return
	}
	if err := a.o.Fire(AuditTag, q.event(a.o.Node, unsent)); err != nil {
		a.o.Log.Error("audit event not fired", "user", clip(q.User), "fun", clip(q.Fun), "err", err)
	}
}

// admit reports whether an event may be sent in this second, and how many refusals were not reported
// since the last one.
func (a *Audit) admit(allowed bool) (unsent int, send bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !allowed {
		if now := a.o.Now().Unix(); now != a.second {
			a.second, a.sent = now, 0
		}
		if a.sent >= a.o.Refusals {
			if a.unsent++; a.unsent == 1 {
				a.o.Log.Warn("audit events of refusals suppressed by rate limit", "limit", a.o.Refusals)
			}
			return 0, false
		}
		a.sent++
	}
	unsent, a.unsent = a.unsent, 0
	return unsent, true
}

// fieldUnsent is the field with the number of refusals since the last event that were not fired.
const fieldUnsent = "untold"

// event returns the data of an event. It truncates texts and leaves out possible secrets: values of
// keyword arguments with such names, and the content of lists and mappings.
func (q Asked) event(node string, unsent int) *wire.Map {
	m := wire.NewMap("node", node, "kind", q.Kind, "door", q.Door, "user", clip(q.User), "eauth", clip(q.Eauth), "from", clip(q.From),
		"fun", clip(q.Fun), "allowed", q.Allowed, "reason", clip(q.Reason), fieldUnsent, unsent)
	args := []any{}
	masked, _ := secrets.Masker{}.Args(q.Call.Fun, q.Call.Args)
	for i, v := range masked {
		if i == auditArgs {
			args = append(args, "…")
			break
		}
		args = append(args, eventText(v))
	}
	kwargs := wire.NewMap()
	q.Call.Kwargs.Range(func(k, v any) bool {
		name := pyfmt.Str(k)
		switch {
		case strings.HasPrefix(name, "__"):
		case kwargs.Len() == auditArgs:
			kwargs.Set("…", "…")
		case secrets.Named(name):
			kwargs.Set(clip(name), secrets.Mask)
		default:
			masked, _ := secrets.Masker{}.Value(v)
			kwargs.Set(clip(name), eventText(masked))
		}
		return true
	})
	m.Set("arg", args)
	m.Set("kwarg", kwargs)
	if q.TargetType != "" {
		m.Set("tgt", clip(targetText(q.Target)))
		m.Set("tgt_type", clip(q.TargetType))
	}
	if q.JID != "" {
		m.Set("jid", q.JID)
	}
	return m
}

// targetText returns a target as text; a list has commas.
func targetText(v any) string {
	list, ok := v.([]any)
	if !ok {
		return pyfmt.Str(v)
	}
	return strings.Join(wire.Texts(list), ",")
}

// eventText returns a value for an event, or the kind of a list or mapping.
func eventText(v any) string {
	switch v.(type) {
	case []any:
		return "[…]"
	case *wire.Map, map[string]any:
		return "{…}"
	}
	return clip(pyfmt.Str(v))
}

// clip truncates a text for an event.
func clip(s string) string {
	if len(s) <= auditText {
		return s
	}
	s = s[:auditText]
	for !utf8.ValidString(s) && len(s) > auditText-utf8.UTFMax {
		s = s[:len(s)-1]
	}
	return s + "…"
}
