package files

import "context"

// Templates finds the files that a template imports: it is a render.Loader.
type Templates struct{ server *Server }

// Loader loads what templates import from a file server.
func Loader(s *Server) Templates { return Templates{s} }

// Open gives the bytes of a file of an environment, by its path as it stands behind
// salt://. A file that is not there is an error that is fs.ErrNotExist.
func (t Templates) Open(ctx context.Context, saltenv, path string) ([]byte, error) {
	f, err := t.server.Find(ctx, saltenv, path)
	if err != nil {
		return nil, err
	}
	return t.server.ReadAll(ctx, f)
}
