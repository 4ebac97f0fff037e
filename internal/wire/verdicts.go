package wire

// Fields of the answer to a `_syndic_return` that was not stored completely.
const (
	leftKey    = "left"
	refusedKey = "refused"
)

// ReturnOf identifies the return of one minion to one job.
type ReturnOf struct{ JID, ID string }

// Verdicts lists the rows of a `_syndic_return` that a master did not store as they were; it
// has stored all others. The answer without verdicts is Python's None, and means that
// everything is stored. A sender that does not know the other form, such as a Python one, does
// not treat it as an acknowledgement: it splits the load and sends it again.
type Verdicts struct {
	// Left are the rows to send again: not accepted yet.
	Left map[ReturnOf]bool
	// Refused are the rows that will never be accepted, with the reasons. The master has stored
	// an error in their place, which ends the job for those minions.
	Refused map[ReturnOf]string
}

// None reports whether everything was stored.
func (v Verdicts) None() bool { return len(v.Left) == 0 && len(v.Refused) == 0 }

// Leave records a row to be sent again.
func (v *Verdicts) Leave(row ReturnOf) {
	if v.Left == nil {
		v.Left = map[ReturnOf]bool{}
	}
	v.Left[row] = true
}

// Refuse records a row that will never be accepted.
func (v *Verdicts) Refuse(row ReturnOf, reason string) {
	if v.Refused == nil {
		v.Refused = map[ReturnOf]string{}
	}
	v.Refused[row] = reason
}

// Reply returns the answer: a map, or nil if there is no verdict.
func (v Verdicts) Reply() any {
	if v.None() {
		return nil
	}
	out, left, refused := NewMap(), NewMap(), NewMap()
	for r := range v.Left {
		left.Set(r.JID, append(left.List(r.JID), r.ID))
	}
	for r, why := range v.Refused {
		of := refused.Map(r.JID)
		if of == nil {
			of = NewMap()
			refused.Set(r.JID, of)
		}
		of.Set(r.ID, why)
	}
	if left.Len() > 0 {
		out.Set(leftKey, left)
	}
	if refused.Len() > 0 {
		out.Set(refusedKey, refused)
	}
	return out
}

// ReadVerdicts decodes such an answer; false means that it is another one.
func ReadVerdicts(answer Raw) (v Verdicts, ok bool) {
	d, err := DecodeMap(answer)
	if err != nil {
		return v, false
	}
	left, refused := d.Map(leftKey), d.Map(refusedKey)
	if left == nil && refused == nil {
		return v, false
	}
	if left != nil {
		for _, k := range left.Keys() {
			jid, _ := k.(string)
			for _, id := range Texts(left.List(jid)) {
				v.Leave(ReturnOf{jid, id})
			}
		}
	}
	if refused != nil {
		for _, k := range refused.Keys() {
			jid, _ := k.(string)
			of := refused.Map(jid)
			if of == nil {
				continue
			}
			for _, k := range of.Keys() {
				if id, ok := k.(string); ok {
					v.Refuse(ReturnOf{jid, id}, of.String(id))
				}
			}
		}
	}
	return v, true
}
