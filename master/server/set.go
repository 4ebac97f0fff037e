package server

// Set is a set of commands that use parts of type P. Files register their commands at program
// start; each master serves them with its own parts.
type Set[P any] struct{ members []member[P] }

type member[P any] struct {
	Command
	handler func(P) Handler
}

// Register adds a command. handler is called once for each master. It panics if the declaration is
// invalid.
func (s *Set[P]) Register(c Command, handler func(parts P) Handler) {
	if err := c.check(); err != nil {
		panic("server: " + err.Error())
	}
	s.members = append(s.members, member[P]{c, handler})
}

// Commands returns the registered commands, in order.
func (s *Set[P]) Commands() []Command {
	out := make([]Command, 0, len(s.members))
	for _, m := range s.members {
		out = append(out, m.Command)
	}
	return out
}

// AddTo adds all commands to a server.
func (s *Set[P]) AddTo(srv *Server, parts P) {
	for _, m := range s.members {
		srv.Add(m.Command, m.handler(parts))
	}
}
