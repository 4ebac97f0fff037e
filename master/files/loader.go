package files

import "context"

// Templates loads the files that a template imports; it is a render.Loader.
type Templates struct{ server *Server }

// Loader returns a loader of templates from a file server.
func Loader(s *Server) Templates { return Templates{s} }

// Open returns the content of a file of an environment, by its path without salt://. If the file
// does not exist, the error is fs.ErrNotExist.
func (t Templates) Open(ctx context.Context, saltenv, path string) ([]byte, error) {
	f, err := t.server.Find(ctx, saltenv, path)
	if err != nil {
		return nil, err
	}
	return t.server.ReadAll(ctx, f)
}
