package pyre

// repeat matches a repetition, followed by the rest.
func (m *machine) repeat(n *node, i int, after rest) bool {
	body := n.subs[0]
	if len(body) == 1 && body[0].op == opSet {
		return m.characters(n, body[0].set, i, after)
	}
	if n.greed == lazy {
		return m.few(n, 0, i, -1, after)
	}
	return m.many(n, 0, i, -1, after)
}

// characters repeats a part that matches one character.
func (m *machine) characters(n *node, c *class, i int, after rest) bool {
	most := 0
	for most < n.max && i+most < len(m.text) && (n.greed != lazy || most < n.min) && c.has(m.text[i+most]) {
		most++
	}
	m.charge(most * (1 + len(c.ranges)/8))
	if most < n.min {
		return false
	}
	switch n.greed {
	case possessive:
		return after(i + most)
	case lazy:
		for ; ; most++ {
			if m.charge(1 + len(c.ranges)/8); m.spent {
				return false
			}
			if after(i + most) {
				return true
			}
			if most >= n.max || i+most >= len(m.text) || !c.has(m.text[i+most]) {
				return false
			}
		}
	}
	for ; most >= n.min; most-- {
		if m.charge(1); m.spent {
			return false
		}
		if after(i + most) {
			return true
		}
	}
	return false
}

// many tries one more repetition before the rest. last is where the previous one began: an
// empty repetition is not tried again.
func (m *machine) many(n *node, count, i, last int, after rest) bool {
	if count < n.min {
		return m.sequence(n.subs[0], i, func(j int) bool { return m.many(n, count+1, j, last, after) })
	}
	if count < n.max && i != last &&
		m.sequence(n.subs[0], i, func(j int) bool { return m.many(n, count+1, j, i, after) }) {
		return true
	}
	return !m.spent && after(i)
}

// few tries the rest before one more repetition.
func (m *machine) few(n *node, count, i, last int, after rest) bool {
	if count < n.min {
		return m.sequence(n.subs[0], i, func(j int) bool { return m.few(n, count+1, j, last, after) })
	}
	if after(i) {
		return true
	}
	if m.spent || count >= n.max || i == last {
		return false
	}
	return m.sequence(n.subs[0], i, func(j int) bool { return m.few(n, count+1, j, i, after) })
}
