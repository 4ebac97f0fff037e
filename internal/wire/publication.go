package wire

// Publication is the load inside the ciphertext of a publication, master to
// minion (Salt wire reference §10.2).
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
	To              int64  // only meant when HasTo
	HasTo           bool
	RetConfig       string
	Metadata        Raw
	ModuleExecutors Raw
	ExecutorOpts    Raw
	RetKwargs       Raw
	User            string
	AuthList        Raw
	Serial          int64 // only meant when HasSerial
	HasSerial       bool
	Extra           *Map // unknown fields in their order, each a Raw
	Full            Raw  // the load as it came, without serial
}

// ParsePublication reads a publication. tgt, jid, fun and arg must be there.
func ParsePublication(r Raw) (Publication, error) {
	const load = "publication"
	var p Publication
	serials := make([]span, 0, 1)
	it := openMap(r)
	pairs := it.left
	for it.next() {
		if string(it.key) == "serial" {
			serials = append(serials, it.span())
		}
		if known, err := p.field(&it); err != nil {
			return Publication{}, inField(load, string(it.key), err)
		} else if !known {
			p.Extra = keepExtra(p.Extra, &it)
		}
	}
	switch {
	case it.err != nil:
		return Publication{}, it.err
	case p.Tgt == nil:
		return Publication{}, missing(load, "tgt")
	case p.JID == "":
		return Publication{}, missing(load, "jid")
	case p.Fun == nil:
		return Publication{}, missing(load, "fun")
	case p.Arg == nil:
		return Publication{}, missing(load, "arg")
	}
	p.Full = without(r, pairs, serials)
	return p, nil
}

func (p *Publication) field(it *mapIter) (known bool, err error) {
	switch string(it.key) {
	case "fun":
		p.Fun = it.val
	case "arg":
		p.Arg = it.val
	case "tgt":
		p.Tgt = it.val
	case "jid":
		p.JID, err = jidText(it.val)
	case "ret":
		p.Ret, err = retField(it.val)
	case "master_id":
		p.MasterID, err = optStr(it.val)
	case "delimiter":
		p.Delimiter, err = optStr(it.val)
	case "id":
		p.ID, err = optStr(it.val)
	case "tgt_type":
		p.TgtType, err = optStr(it.val)
	case "to":
		if !IsNil(it.val) {
			p.HasTo = true
			p.To, err = Int(it.val)
		}
	case "ret_config":
		p.RetConfig, err = optStr(it.val)
	case "metadata":
		p.Metadata = it.val
	case "module_executors":
		p.ModuleExecutors = it.val
	case "executor_opts":
		p.ExecutorOpts = it.val
	case "ret_kwargs":
		p.RetKwargs = it.val
	case "user":
		p.User, err = optStr(it.val)
	case "auth_list":
		p.AuthList = it.val
	case "serial":
		p.HasSerial = true
		p.Serial, err = Int(it.val)
	default:
		return false, nil
	}
	return true, err
}

// Encode packs the publication in Salt's order. Full is not looked at.
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
