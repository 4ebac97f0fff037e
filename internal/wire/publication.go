package wire

// Publication is the load inside the ciphertext of a publication from master to minion (Salt
// wire reference §10.2).
type Publication struct {
	Fun             Raw // text, or a list of texts
	Arg             Raw // list
	Tgt             Raw // text, or a list
	JID             string
	Ret             string // returners, comma-joined
	MasterID        string
	Delimiter       string // "" means ":"
	ID              string // the minion that published, with peer publishing
	TgtType         string // "" means glob
	To              int64  // only valid if HasTo
	HasTo           bool
	RetConfig       string
	Metadata        Raw
	ModuleExecutors Raw
	ExecutorOpts    Raw
	RetKwargs       Raw
	StartEvent      bool // the minion fires an event before it runs the function (Salt 3008)
	User            string
	AuthList        Raw
	Serial          int64 // only valid if HasSerial
	HasSerial       bool
	Extra           *Map // unknown fields in their order, each a Raw
	Full            Raw  // the load as received, without serial
}

// ParsePublication decodes a publication. tgt, jid, fun and arg are required.
func ParsePublication(r Raw) (Publication, error) {
	var p Publication
	l := openLoad("publication", r)
	for l.next() {
		p.field(&l)
	}
	switch {
	case l.err != nil:
		return Publication{}, l.err
	case p.Tgt == nil:
		return Publication{}, l.missing("tgt")
	case p.JID == "":
		return Publication{}, l.missing("jid")
	case p.Fun == nil:
		return Publication{}, l.missing("fun")
	case p.Arg == nil:
		return Publication{}, l.missing("arg")
	}
	p.Extra, p.Full = l.extra, l.full()
	return p, nil
}

func (p *Publication) field(l *loadReader) {
	switch string(l.key) {
	case "fun":
		p.Fun = l.val
	case "arg":
		p.Arg = l.val
	case "tgt":
		p.Tgt = l.val
	case "jid":
		p.JID, l.err = jidText(l.val)
	case "ret":
		p.Ret, l.err = retField(l.val)
	case "master_id":
		p.MasterID, l.err = jidText(l.val) // YAML reads an id that looks like a number as one
	case "delimiter":
		p.Delimiter, l.err = optStr(l.val)
	case "id":
		p.ID, l.err = optStr(l.val)
	case "tgt_type":
		p.TgtType, l.err = optStr(l.val)
	case "to":
		if !IsNil(l.val) {
			p.HasTo = true
			p.To, l.err = Int(l.val)
		}
	case "ret_config":
		p.RetConfig, l.err = optStr(l.val)
	case "metadata":
		p.Metadata = l.val
	case "module_executors":
		p.ModuleExecutors = l.val
	case "executor_opts":
		p.ExecutorOpts = l.val
	case "ret_kwargs":
		p.RetKwargs = l.val
	case "start_event":
		p.StartEvent = Truth(l.val)
	case "user":
		p.User, l.err = optStr(l.val)
	case "auth_list":
		p.AuthList = l.val
	case "serial":
		p.HasSerial = true
		p.Serial, l.err = Int(l.val)
		l.omit()
	default:
		l.keep()
	}
}

// Encode encodes the publication in Salt's order. It ignores Full.
func (p Publication) Encode() ([]byte, error) {
	w := newLoad(192 + len(p.Tgt) + len(p.Arg) + len(p.Fun) + len(p.AuthList))
	w.raw("fun", p.Fun)
	if len(p.Arg) > 0 {
		w.raw("arg", p.Arg)
	} else {
		w.raw("arg", emptyList)
	}
	w.raw("tgt", p.Tgt)
	w.str("jid", p.JID)
	w.str("ret", p.Ret)
	w.text("master_id", p.MasterID)
	w.text("delimiter", p.Delimiter)
	w.text("id", p.ID)
	w.text("tgt_type", p.TgtType)
	if p.HasTo {
		w.int("to", p.To)
	}
	w.text("ret_config", p.RetConfig)
	w.optRaw("metadata", p.Metadata)
	w.optRaw("module_executors", p.ModuleExecutors)
	w.optRaw("executor_opts", p.ExecutorOpts)
	w.optRaw("ret_kwargs", p.RetKwargs)
	if p.StartEvent {
		w.raw("start_event", Raw{0xc3})
	}
	w.text("user", p.User)
	w.optRaw("auth_list", p.AuthList)
	if err := w.extra(p.Extra); err != nil {
		return nil, err
	}
	if p.HasSerial {
		w.int("serial", p.Serial)
	}
	return w.done(), nil
}
