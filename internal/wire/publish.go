package wire

import "fmt"

// PublishLoad is the clear `publish` load of a client (Salt wire reference
// §10.1).
type PublishLoad struct {
	Cmd     string
	Tgt     Raw // text, or a list for tgt_type list
	TgtType string
	Fun     Raw // text, or a list of texts
	Arg     Raw // list; for several functions a list of lists
	Key     string
	Ret     string
	Timeout Raw
	JID     string // "" or None: the master chooses
	User    string
	To      int64 // only valid if HasTo
	HasTo   bool
	Kwargs  Raw  // map, nil if absent
	Extra   *Map // unknown fields in their order, each a Raw
	Full    Raw  // the load as received without key, token and password; for the job store
}

// secrets are the fields of a publish load, and of its kwargs, that must not be stored or
// shown.
var secrets = []string{"key", "token", "password"}

// DecodedKwargs returns the kwargs; an empty map if absent.
func (p PublishLoad) DecodedKwargs() (*Map, error) {
	if len(p.Kwargs) == 0 || IsNil(p.Kwargs) {
		return NewMap(), nil
	}
	m, err := DecodeMap(p.Kwargs)
	if err != nil {
		return nil, fmt.Errorf("kwargs: %w", err)
	}
	return m, nil
}

// ParsePublishLoad decodes a publish load. tgt and fun are required.
func ParsePublishLoad(r Raw) (PublishLoad, error) {
	var p PublishLoad
	l := openLoad("publish", r)
	for l.next() {
		switch string(l.key) {
		case "cmd":
			p.Cmd, l.err = constant(l.val)
		case "tgt":
			p.Tgt = l.val
		case "tgt_type":
			p.TgtType, l.err = optStr(l.val)
		case "fun":
			p.Fun = l.val
		case "arg":
			p.Arg = l.val
		case "key":
			p.Key, l.err = optStr(l.val)
		case "ret":
			p.Ret, l.err = retField(l.val)
		case "timeout":
			p.Timeout = l.val
		case "jid":
			p.JID, l.err = jidText(l.val)
		case "user":
			p.User, l.err = optStr(l.val)
		case "to":
			if !IsNil(l.val) {
				p.HasTo = true
				p.To, l.err = Int(l.val)
			}
		case "kwargs":
			if p.Kwargs = l.val; !IsMap(l.val) && !IsNil(l.val) {
				l.err = wrongType("a map", l.val)
			}
		default:
			l.keep()
		}
	}
	switch {
	case l.err != nil:
		return PublishLoad{}, l.err
	case p.Tgt == nil:
		return PublishLoad{}, l.missing("tgt")
	case p.Fun == nil:
		return PublishLoad{}, l.missing("fun")
	}
	p.Extra = l.extra
	var err error
	p.Full, err = withoutSecrets(r)
	return p, err
}

// Encode encodes the load in Salt's order. It ignores Full.
func (p PublishLoad) Encode() ([]byte, error) {
	w := newLoad(256 + len(p.Tgt) + len(p.Arg) + len(p.Kwargs))
	w.str("cmd", "publish")
	w.raw("tgt", p.Tgt)
	w.raw("fun", p.Fun)
	if len(p.Arg) > 0 {
		w.raw("arg", p.Arg)
	} else {
		w.raw("arg", emptyList)
	}
	w.str("key", p.Key)
	w.text("tgt_type", p.TgtType)
	w.str("ret", p.Ret)
	w.optRaw("timeout", p.Timeout)
	w.str("jid", p.JID)
	w.optRaw("kwargs", p.Kwargs)
	if err := w.extra(p.Extra); err != nil {
		return nil, err
	}
	w.text("user", p.User)
	if p.HasTo {
		w.int("to", p.To)
	}
	return w.done(), nil
}

var emptyList = Raw{0x90}

// retField reads the returners of a job: comma-separated text, a list, or None.
func retField(r Raw) (string, error) {
	if IsList(r) {
		if _, err := Strings(r); err != nil {
			return "", err
		}
		return FunName(r), nil
	}
	return optStr(r)
}

// withoutSecrets removes the secrets of a load and of its kwargs.
func withoutSecrets(r Raw) (Raw, error) {
	kwargs, err := Field(r, "kwargs")
	if err != nil {
		return nil, err
	}
	clean, err := Without(r, secrets...)
	if err != nil || !IsMap(kwargs) {
		return clean, err
	}
	cleanKwargs, err := Without(kwargs, secrets...)
	if err != nil || len(cleanKwargs) == len(kwargs) {
		return clean, err
	}
	out := appendHead(make([]byte, 0, len(clean)), Dict, Count(clean))
	it := openMap(clean)
	for it.next() {
		out = append(out, it.name...)
		if string(it.key) == "kwargs" {
			out = append(out, cleanKwargs...)
		} else {
			out = append(out, it.val...)
		}
	}
	return out, it.err
}
