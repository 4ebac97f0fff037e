package server

// Set are commands that work on parts of type P. Files enter theirs when the program
// starts; each master serves them with its own parts.
type Set[P any] struct{ members []member[P] }

type member[P any] struct {
	Command
	handler func(P) Handler
}

// Register enters a command. handler is called once for each master. It panics if the
// declaration is wrong, which is a fault of the program.
func (s *Set[P]) Register(c Command, handler func(parts P) Handler) {
	if err := c.check(); err != nil {
		panic("server: " + err.Error())
	}
	s.members = append(s.members, member[P]{c, handler})
}

// Commands lists what was registered, in that order.
func (s *Set[P]) Commands() []Command {
	out := make([]Command, 0, len(s.members))
	for _, m := range s.members {
		out = append(out, m.Command)
	}
	return out
}

// AddTo has a server serve them all.
func (s *Set[P]) AddTo(srv *Server, parts P) {
	for _, m := range s.members {
		srv.Add(m.Command, m.handler(parts))
	}
}
