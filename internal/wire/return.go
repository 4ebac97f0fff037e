package wire

import "strings"

// Return is a minion's `_return` load (Salt wire reference §9.1). Single returns in a syndic's
// load and the data of a `salt/job/<jid>/ret/<id>` event have the same form.
type Return struct {
	Cmd, ID, JID string
	Fun          Raw // text, or a list of texts
	FunArgs      Raw
	Value        Raw // field `return`

	// Retcode is the code as one number. For a job of several functions it is the first that is
	// not 0; for a value that is not a number it is 1.
	Retcode    int
	RetcodeRaw Raw // undecoded; nil means Retcode

	// Success is the truth value of the field; for a job of several functions, whether all are
	// true.
	Success    bool
	HasSuccess bool
	SuccessRaw Raw // undecoded; nil means Success if HasSuccess

	Out, User, MasterID string
	Metadata            Raw
	Stamp               string // field `_stamp`
	Tok, Sig            []byte
	Nonce               string
	TS                  int64
	Extra               *Map // unknown fields in their order, each a Raw
	Full                Raw  // the whole load as received, without tok and nonce
}

// ParseReturn decodes a return. id, jid and return are required. Raw fields and byte fields
// alias r; Full does too if the load has neither tok nor nonce.
func ParseReturn(r Raw) (Return, error) {
	var ret Return
	l := openLoad("return", r)
	for l.next() {
		switch string(l.key) {
		case "cmd":
			ret.Cmd, l.err = constant(l.val)
		case "id":
			ret.ID, l.err = Str(l.val)
		case "jid":
			ret.JID, l.err = jidText(l.val)
		case "fun":
			ret.Fun = l.val
		case "fun_args":
			ret.FunArgs = l.val
		case "return":
			ret.Value = l.val
		case "retcode":
			ret.RetcodeRaw, ret.Retcode = l.val, retcode(l.val, true)
		case "success":
			ret.SuccessRaw, ret.HasSuccess, ret.Success = l.val, true, success(l.val)
		case "out":
			ret.Out, l.err = optStr(l.val)
		case "user":
			ret.User, l.err = optStr(l.val)
		case "master_id":
			ret.MasterID, l.err = jidText(l.val) // it may be a number
		case "metadata":
			ret.Metadata = l.val
		case "_stamp":
			ret.Stamp, l.err = optStr(l.val)
		case "sig":
			ret.Sig, l.err = Bytes(l.val)
		default:
			if !l.channel() {
				l.keep()
			}
		}
	}
	switch {
	case l.err != nil:
		return Return{}, l.err
	case ret.ID == "":
		return Return{}, l.missing("id")
	case ret.JID == "":
		return Return{}, l.missing("jid")
	case ret.Value == nil:
		return Return{}, l.missing("return")
	}
	ret.Tok, ret.Nonce, ret.TS, ret.Extra, ret.Full = l.tok, l.nonce, l.ts, l.extra, l.full()
	return ret, nil
}

// Encode encodes the return in Salt's order. It ignores Full.
func (r Return) Encode() ([]byte, error) {
	w := newLoad(256 + len(r.Value) + len(r.FunArgs) + len(r.Fun) + len(r.Tok) + len(r.Sig) + len(r.Metadata))
	w.text("cmd", r.Cmd)
	w.str("id", r.ID)
	switch {
	case len(r.SuccessRaw) > 0:
		w.raw("success", r.SuccessRaw)
	case r.HasSuccess:
		w.key("success")
		w.b = appendBool(w.b, r.Success)
	}
	w.raw("return", r.Value)
	if len(r.RetcodeRaw) > 0 {
		w.raw("retcode", r.RetcodeRaw)
	} else {
		w.int("retcode", int64(r.Retcode))
	}
	w.text("out", r.Out)
	w.str("jid", r.JID)
	w.optRaw("fun", r.Fun)
	w.optRaw("fun_args", r.FunArgs)
	w.text("user", r.User)
	w.text("master_id", r.MasterID)
	w.optRaw("metadata", r.Metadata)
	if err := w.extra(r.Extra); err != nil {
		return nil, err
	}
	w.text("_stamp", r.Stamp)
	w.text("nonce", r.Nonce)
	w.optInt("ts", r.TS)
	w.optBytes("tok", r.Tok)
	w.optBytes("sig", r.Sig)
	return w.done(), nil
}

// FunName returns the name of the function for people; several are joined with ",".
func (r Return) FunName() string { return FunName(r.Fun) }

// FunName returns the name in a fun field for people; several are joined with ",".
func FunName(fun Raw) string {
	switch KindOf(fun) {
	case Text, Bin:
		s, _ := Str(fun)
		return s
	case List:
		names, _ := Strings(fun)
		return strings.Join(names, ",")
	}
	return ""
}

// retcode reduces a retcode field to one number; several is true for a job of several
// functions.
func retcode(r Raw, several bool) int {
	code := 0
	first := func(val Raw) error {
		if code == 0 {
			code = retcode(val, false)
		}
		return nil
	}
	switch KindOf(r) {
	case Nil:
		return 0
	case Dict, List:
		if !several {
			return 1
		}
		if KindOf(r) == List {
			_ = Elems(r, func(_ int, val Raw) error { return first(val) })
		} else {
			_ = Pairs(r, func(_, val Raw) error { return first(val) })
		}
		return code
	}
	v, err := Int(r)
	if err != nil {
		return 1
	}
	return int(v)
}

// success reduces a success field to one truth value.
func success(r Raw) bool {
	all := true
	switch KindOf(r) {
	case Dict:
		_ = Pairs(r, func(_, val Raw) error { all = all && Truth(val); return nil })
		return all
	case List:
		_ = Elems(r, func(_ int, val Raw) error { all = all && Truth(val); return nil })
		return all
	}
	return Truth(r)
}
