package syndic

// Masters tells of each master above whether the node is subscribed and announced
// there now.
func (s *Syndic) Masters() map[string]bool {
	out := make(map[string]bool, len(s.parents.all()))
	for _, l := range s.parents.all() {
		out[l.name] = l.IsUp()
	}
	return out
}
