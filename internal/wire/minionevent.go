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
	Full      Raw  // the whole load as it came, without tok and nonce
}

// TagData is one event inside a MinionEvent.
type TagData struct {
	Tag  string
	Data Raw // a map; nil when the sender left it out
}

// ParseMinionEvent reads a load of events. id must be there, and either tag or
// events. Raw fields alias r.
func ParseMinionEvent(r Raw) (MinionEvent, error) {
	const load = "minion event"
	var e MinionEvent
	var a auth
	it := openMap(r)
	pairs := it.left
	for it.next() {
		var err error
		switch string(it.key) {
		case "cmd":
			e.Cmd, err = constant(it.val)
		case "id":
			e.ID, err = Str(it.val)
		case "pretag":
			e.HasPretag = !IsNil(it.val)
			e.Pretag, err = optStr(it.val)
		case "tag":
			e.HasTag = true
			e.Tag, err = Str(it.val)
		case "data":
			e.Data = it.val
		case "events":
			if !IsNil(it.val) {
				e.HasEvents = true
				e.Events, err = parseEvents(it.val)
			}
		case "grains":
			e.Grains = it.val
		default:
			var known bool
			if known, err = a.field(&it); !known {
				e.Extra = keepExtra(e.Extra, &it)
			}
		}
		if err != nil {
			return MinionEvent{}, inField(load, string(it.key), err)
		}
	}
	switch {
	case it.err != nil:
		return MinionEvent{}, it.err
	case e.ID == "":
		return MinionEvent{}, missing(load, "id")
	case !e.HasTag && !e.HasEvents:
		return MinionEvent{}, missing(load, "tag")
	}
	e.Tok, e.Nonce, e.TS = a.tok, a.nonce, a.ts
	e.Full = without(r, pairs, a.spans())
	return e, nil
}

func parseEvents(r Raw) ([]TagData, error) {
	out := make([]TagData, 0, min(Count(r), len(r)))
	err := Elems(r, func(_ int, val Raw) error {
		var e TagData
		it := openMap(val)
		for it.next() {
			var err error
			switch string(it.key) {
			case "tag":
				e.Tag, err = Str(it.val)
			case "data":
				e.Data = it.val
			}
			if err != nil {
				return inField("event", string(it.key), err)
			}
		}
		if it.err != nil {
			return it.err
		}
		if e.Tag == "" {
			return missing("event", "tag")
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// Encode packs the load in Salt's order. Full is not looked at.
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
