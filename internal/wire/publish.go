package wire

// PublishLoad is the clear `publish` load of a client (Salt wire reference
// §10.1).
type PublishLoad struct {
	Cmd     string
	Tgt     Raw // text, or a list for tgt_type list
	TgtType string
	Fun     Raw // text, or a list of texts
	Arg     Raw // list; of several functions a list of lists
	Key     string
	Ret     string
	Timeout Raw
	JID     string // "" or None: the master chooses
	User    string
	To      int64 // only meant when HasTo
	HasTo   bool
	Kwargs  Raw  // map, nil when absent
	Extra   *Map // unknown fields in their order, each a Raw
	Full    Raw  // the load as it came without key, token and password; for the job store
}

// secrets are the fields of a publish load, and of its kwargs, that must not be
// stored or shown.
var secrets = []string{"key", "token", "password"}

// ParsePublishLoad reads a publish load. tgt and fun must be there.
func ParsePublishLoad(r Raw) (PublishLoad, error) {
	const load = "publish"
	var p PublishLoad
	it := openMap(r)
	for it.next() {
		var err error
		switch string(it.key) {
		case "cmd":
			p.Cmd, err = constant(it.val)
		case "tgt":
			p.Tgt = it.val
		case "tgt_type":
			p.TgtType, err = optStr(it.val)
		case "fun":
			p.Fun = it.val
		case "arg":
			p.Arg = it.val
		case "key":
			p.Key, err = optStr(it.val)
		case "ret":
			p.Ret, err = retField(it.val)
		case "timeout":
			p.Timeout = it.val
		case "jid":
			p.JID, err = jidText(it.val)
		case "user":
			p.User, err = optStr(it.val)
		case "to":
			if !IsNil(it.val) {
				p.HasTo = true
				p.To, err = Int(it.val)
			}
		case "kwargs":
			if p.Kwargs = it.val; !IsMap(it.val) && !IsNil(it.val) {
				err = wrongType("a map", it.val)
			}
		default:
			p.Extra = keepExtra(p.Extra, &it)
		}
		if err != nil {
			return PublishLoad{}, inField(load, string(it.key), err)
		}
	}
	switch {
	case it.err != nil:
		return PublishLoad{}, it.err
	case p.Tgt == nil:
		return PublishLoad{}, missing(load, "tgt")
	case p.Fun == nil:
		return PublishLoad{}, missing(load, "fun")
	}
	var err error
	p.Full, err = withoutSecrets(r)
	return p, err
}

// Kwarg returns one of the kwargs, nil when it is not there.
func (p PublishLoad) Kwarg(name string) Raw {
	if !IsMap(p.Kwargs) {
		return nil
	}
	v, _ := Field(p.Kwargs, name)
	return v
}

// Encode packs the load in Salt's order. Full is not looked at.
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

// retField reads the returners of a job: comma-joined text, a list, or None.
func retField(r Raw) (string, error) {
	if IsList(r) {
		if _, err := Strings(r); err != nil {
			return "", err
		}
		return FunName(r), nil
	}
	return optStr(r)
}

// withoutSecrets drops the secrets of a load and of its kwargs.
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
