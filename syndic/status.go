package syndic

// Masters reports, for each parent by name, whether the node is subscribed and announced there.
func (s *Syndic) Masters() map[string]bool {
	out := make(map[string]bool, len(s.parents.all()))
	for _, l := range s.parents.all() {
		out[l.name] = l.IsUp()
	}
	return out
}
