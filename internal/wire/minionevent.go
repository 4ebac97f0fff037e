package wire

// MinionEvent is a `_minion_event` load: one event under Tag, or several in
// Events (Salt wire reference §8.2, §9.2).
type MinionEvent struct {
	Cmd, ID   string
	Pretag    string
	HasPretag bool // false: None or absent
	Tag       string
	HasTag    bool
	Data      Raw // of a single event; any type
	Events    []TagData
	HasEvents bool
	Grains    Raw
	Tok       []byte
	Nonce     string
	TS        int64
	Extra     *Map // unknown fields in their order, each a Raw
	Full      Raw  // the whole load as received, without tok and nonce
}

// TagData is one event in a MinionEvent.
type TagData struct {
	Tag  string
	Data Raw // a map; nil if the sender omitted it
}

// ParseMinionEvent decodes a load of events. id is required, and either tag or events. Raw
// fields alias r.
func ParseMinionEvent(r Raw) (MinionEvent, error) {
	var e MinionEvent
	l := openLoad("minion event", r)
	for l.next() {
		switch string(l.key) {
		case "cmd":
			e.Cmd, l.err = constant(l.val)
		case "id":
			e.ID, l.err = Str(l.val)
		case "pretag":
			e.HasPretag = !IsNil(l.val)
			e.Pretag, l.err = optStr(l.val)
		case "tag":
			e.HasTag = true
			e.Tag, l.err = Str(l.val)
		case "data":
			e.Data = l.val
		case "events":
			if !IsNil(l.val) {
				e.HasEvents = true
				e.Events, l.err = parseEvents(l.val)
			}
		case "grains":
			e.Grains = l.val
		default:
			if !l.channel() {
				l.keep()
			}
		}
	}
	switch {
	case l.err != nil:
		return MinionEvent{}, l.err
	case e.ID == "":
		return MinionEvent{}, l.missing("id")
	case !e.HasTag && !e.HasEvents:
		return MinionEvent{}, l.missing("tag")
	}
	e.Tok, e.Nonce, e.TS, e.Extra, e.Full = l.tok, l.nonce, l.ts, l.extra, l.full()
	return e, nil
}

func parseEvents(r Raw) ([]TagData, error) {
	out := make([]TagData, 0, min(Count(r), len(r)))
	err := Elems(r, func(_ int, val Raw) error {
		var e TagData
		l := openLoad("event", val)
		for l.next() {
			switch string(l.key) {
			case "tag":
				e.Tag, l.err = Str(l.val)
			case "data":
				e.Data = l.val
			}
		}
		if l.err != nil {
			return l.err
		}
		if e.Tag == "" {
			return l.missing("tag")
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// Encode encodes the load in Salt's order. It ignores Full.
func (e MinionEvent) Encode() ([]byte, error) {
	size := 192 + len(e.Data) + len(e.Grains) + len(e.Tok)
	for _, ev := range e.Events {
		size += 24 + len(ev.Tag) + len(ev.Data)
	}
	w := newLoad(size)
	w.str("id", e.ID)
	w.str("cmd", "_minion_event")
	w.key("pretag")
	if e.HasPretag {
		w.b = appendStr(w.b, e.Pretag, wireRules)
	} else {
		w.b = appendNil(w.b)
	}
	w.optBytes("tok", e.Tok)
	w.optRaw("data", e.Data)
	if e.HasTag {
		w.str("tag", e.Tag)
	}
	if e.HasEvents || e.Events != nil {
		w.key("events")
		w.b = appendHead(w.b, List, len(e.Events))
		for _, ev := range e.Events {
			n := 2
			if len(ev.Data) == 0 {
				n = 1
			}
			w.b = appendHead(w.b, Dict, n)
			if n == 2 {
				w.b = append(appendStr(w.b, "data", wireRules), ev.Data...)
			}
			w.b = appendStr(appendStr(w.b, "tag", wireRules), ev.Tag, wireRules)
		}
	}
	w.optRaw("grains", e.Grains)
	if err := w.extra(e.Extra); err != nil {
		return nil, err
	}
	w.text("nonce", e.Nonce)
	w.optInt("ts", e.TS)
	return w.done(), nil
}
