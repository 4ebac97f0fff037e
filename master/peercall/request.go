package peercall

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/wire"
)

// maxTimeout limits how long a minion may make the master wait.
const maxTimeout = time.Minute

// request is a request of a minion (Salt's reference on states, §5).
type request struct {
	fun     any // a name, or a list of them
	arg     []any
	tgt     any
	kind    string
	ret     string
	timeout time.Duration
	full    bool
	raw     *wire.Map // the load, for the master above
}

// errIncomplete is returned for a load with missing fields.
var errIncomplete = errors.New("fun, arg or tgt is missing")

// readRequest decodes a load. Strings among the arguments are parsed as YAML and as keywords,
// unless the minion disables that.
func readRequest(d *wire.Map) (r request, err error) {
	fun, isText := d.Get("fun")
	name, ok := fun.(string)
	arg, hasArg := d.Get("arg")
	tgt, hasTgt := d.Get("tgt")
	if !isText || !ok || name == "" || !hasArg || !hasTgt {
		return r, errIncomplete
	}
	r = request{tgt: tgt, kind: d.String("tgt_type"), ret: d.String("ret"), full: d.String("form") == "full", raw: d}
	if r.kind == "" {
		r.kind = "glob"
	}
	if strings.HasPrefix(r.kind, "node") { // as in Salt
		r.kind = "nodegroup"
	}
	if s := d.Float("tmo"); s > 0 {
		r.timeout = min(time.Duration(min(s, maxTimeout.Seconds())*float64(time.Second)), maxTimeout)
	}
	args, ok := arg.([]any)
	if !ok {
		args = []any{arg}
	}
	names := []string{name}
	if strings.Contains(name, ",") {
		names = strings.Split(name, ",")
		r.fun = wire.AnyList(names)
		for _, a := range args {
			r.arg = append(r.arg, words(a))
		}
	} else {
		r.fun, r.arg = name, callargs.ParseAny(args, wire.Texts(d.List("no_parse")))
	}
	for _, n := range names {
		//mutant:peer-publish-in-turn
		if strings.HasPrefix(strings.TrimSpace(n), "publish.") {
			return r, fmt.Errorf("%s would make minions publish in turn, without end", n)
		}
	}
	return r, nil
}

// words returns the arguments of one function of several: a list, or text with blanks.
func words(a any) any {
	if text, ok := a.(string); ok {
		return wire.AnyList(strings.Fields(text))
	}
	if _, ok := a.([]any); ok {
		return a
	}
	return []any{a}
}

// load returns the load of the requested job.
func (r request) load(jid string) (p wire.PublishLoad, err error) {
	p = wire.PublishLoad{TgtType: r.kind, Ret: r.ret, JID: jid}
	for _, f := range []struct {
		to *wire.Raw
		v  any
	}{{&p.Tgt, r.tgt}, {&p.Fun, r.fun}, {&p.Arg, orNone(r.arg)}} {
		if *f.to, err = wire.Encode(f.v); err != nil {
			return p, fmt.Errorf("encode the job: %w", err)
		}
	}
	if s := int64(r.timeout / time.Second); s > 0 {
		if p.Timeout, err = wire.Encode(s); err != nil {
			return p, fmt.Errorf("encode the time-out: %w", err)
		}
	}
	return p, nil
}

func orNone(args []any) []any {
	if args == nil {
		return []any{}
	}
	return args
}

// funs returns the names of the functions, for the log.
func (r request) funs() string { return r.raw.String("fun") }
