package wire

// Nodes encode these loads in another way (syndic/returns); these tests check that nothing in
// them is lost when they are read.

// Encode encodes the load in Salt's order.
func (s SyndicReturn) Encode() ([]byte, error) {
	size := 128
	for _, j := range s.Loads {
		size += j.size()
	}
	w := newLoad(size)
	w.str("cmd", "_syndic_return")
	w.key("load")
	w.b = appendHead(w.b, List, len(s.Loads))
	for _, j := range s.Loads {
		b, err := j.Encode()
		if err != nil {
			return nil, err
		}
		w.b = append(w.b, b...)
	}
	w.text("nonce", s.Nonce)
	w.optInt("ts", s.TS)
	w.optBytes("tok", s.Tok)
	w.text("id", s.ID)
	return w.done(), nil
}

func (j SyndicJob) size() int {
	size := 192 + len(j.Load) + len(j.Arg) + len(j.Tgt)
	for _, r := range j.Returns {
		size += maxHead + len(r.ID) + len(r.Value)
	}
	return size
}

// Encode encodes one job in Salt's order.
func (j SyndicJob) Encode() ([]byte, error) {
	w := newLoad(j.size())
	w.str("id", j.ID)
	w.str("jid", j.JID)
	w.raw("fun", j.Fun)
	w.raw("arg", j.Arg)
	w.raw("tgt", j.Tgt)
	w.raw("tgt_type", j.TgtType)
	if len(j.Load) > 0 {
		w.raw("load", j.Load)
	} else {
		w.raw("load", emptyMap)
	}
	w.key("return")
	w.b = appendHead(w.b, Dict, len(j.Returns))
	for _, r := range j.Returns {
		w.b = appendStr(w.b, r.ID, wireRules)
		w.b = append(w.b, r.Value...)
	}
	w.text("master_id", j.MasterID)
	w.text("out", j.Out)
	if err := w.extra(j.Extra); err != nil {
		return nil, err
	}
	return w.done(), nil
}
