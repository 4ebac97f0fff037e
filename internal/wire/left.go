package wire

// leftKey is where a master of ours says which returns it left.
const leftKey = "left"

// ReturnOf names the return of one minion to one job.
type ReturnOf struct{ JID, ID string }

// LeftReply is the answer to a `_syndic_return` of which these returns are not taken
// as yet; the others are stored. To a node that does not know it, as to a Python one,
// it is no acknowledgement at all.
func LeftReply(rows []ReturnOf) *Map {
	byJID := NewMap()
	for _, r := range rows {
		byJID.Set(r.JID, append(byJID.List(r.JID), r.ID))
	}
	return NewMap(leftKey, byJID)
}

// ReadLeft reads such an answer; false: it is another one.
func ReadLeft(v Raw) (left map[ReturnOf]bool, ok bool) {
	d, err := DecodeMap(v)
	if err != nil || d.Map(leftKey) == nil {
		return nil, false
	}
	left = map[ReturnOf]bool{}
	byJID := d.Map(leftKey)
	for _, k := range byJID.Keys() {
		jid, isText := k.(string)
		if !isText {
			continue
		}
		for _, id := range Texts(byJID.List(jid)) {
			left[ReturnOf{jid, id}] = true
		}
	}
	return left, true
}
