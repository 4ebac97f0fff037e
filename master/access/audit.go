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

// AuditTag is the tag of events that tell who asked a master for what. event_return stores
// them as all others.
const AuditTag = "mom/audit"

const (
	// auditRefusals is how many refusals are told in a second if the options do not say.
	auditRefusals = 20
	// auditText and auditArgs bound what is told of arguments and of every other text, in
	// bytes and in arguments.
	auditText = 128
	auditArgs = 16
)

// Asked is one thing that somebody asked a master for.
type Asked struct {
	// Kind is what was asked for: "publish", "runner", "wheel" or "login".
	Kind string
	// Door is by what they proved who they are: "key", "eauth" or "token"; "peer" for a minion.
	Door string
	// User is who asks, Eauth the login service that says so. From is the address.
	User, Eauth, From string
	// Fun and Call are what is to be called: for a publication of several functions Fun has
	// them all, joined by commas, and Call the arguments of the first.
	Fun  string
	Call Call
	// Target and TargetType are whom a publication means, JID is the id it got.
	Target     any
	TargetType string
	JID        string
	Allowed    bool
	// Reason is why not, as [verdict.Verdict.String] tells it.
	Reason string
}

// AuditOptions of [NewAudit].
type AuditOptions struct {
	// Node is the id of the master, which the events name.
	Node string
	// Fire tells the event bus.
	Fire func(tag string, data *wire.Map) error
	// Refusals is how many refusals are told in a second; more are counted, and the next
	// that is told says how many. What is allowed is always told: it costs more than its
	// event does. Default 20.
	Refusals int
	Log      *slog.Logger
	Now      func() time.Time
}

// Audit tells who asked for what, from where, and whether it was allowed. It is safe for
// concurrent use.
type Audit struct {
	o AuditOptions

	mu     sync.Mutex
	second int64 // in which told were told
	told   int
	untold int
}

// NewAudit has told nothing yet.
func NewAudit(o AuditOptions) *Audit {
	if o.Refusals <= 0 {
		o.Refusals = auditRefusals
	}
	return &Audit{o: o}
}

// Note tells what was asked for.
func (a *Audit) Note(q Asked) {
	untold, tell := a.admit(q.Allowed)
	if !tell {
		return
	}
	if err := a.o.Fire(AuditTag, q.event(a.o.Node, untold)); err != nil {
		a.o.Log.Error("audit event not fired", "user", clip(q.User), "fun", clip(q.Fun), "err", err)
	}
}

// admit tells whether an event has room in this second, and how many refusals had none
// since the last one.
func (a *Audit) admit(allowed bool) (untold int, tell bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !allowed {
		if now := a.o.Now().Unix(); now != a.second {
			a.second, a.told = now, 0
		}
		if a.told >= a.o.Refusals {
			if a.untold++; a.untold == 1 {
				a.o.Log.Warn("audit events of refusals suppressed by rate limit", "limit", a.o.Refusals)
			}
			return 0, false
		}
		a.told++
	}
	untold, a.untold = a.untold, 0
	return untold, true
}

// event is what is told. Texts are cut, and what may be a secret is not told: values of
// keyword arguments whose names sound like one, and whatever is inside lists and mappings.
func (q Asked) event(node string, untold int) *wire.Map {
	m := wire.NewMap("node", node, "kind", q.Kind, "door", q.Door, "user", clip(q.User), "eauth", clip(q.Eauth), "from", clip(q.From),
		"fun", clip(q.Fun), "allowed", q.Allowed, "reason", clip(q.Reason), "untold", untold)
	args := []any{}
	masked, _ := secrets.Masker{}.Args(q.Call.Fun, q.Call.Args)
	for i, v := range masked {
		if i == auditArgs {
			args = append(args, "…")
			break
		}
		args = append(args, told(v))
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
			kwargs.Set(clip(name), told(masked))
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

// targetText is a target as text: a list of ids with commas.
func targetText(v any) string {
	list, ok := v.([]any)
	if !ok {
		return pyfmt.Str(v)
	}
	return strings.Join(wire.Texts(list), ",")
}

// told is a value of which no more than its kind is told where it holds others.
func told(v any) string {
	switch v.(type) {
	case []any:
		return "[…]"
	case *wire.Map, map[string]any:
		return "{…}"
	}
	return clip(pyfmt.Str(v))
}

// clip cuts a text to what an event tells of it.
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
