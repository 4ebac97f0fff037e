package gitrepo

import (
	"context"
	"fmt"
	"io"
	"slices"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
)

// local is a session with a repository of this machine, in this process.
type local struct {
	transport.UploadPackSession
	from storer.Storer
	m    *meter
}

func openLocal(ep *transport.Endpoint, m *meter) (transport.UploadPackSession, error) {
	repo, err := git.PlainOpenWithOptions(ep.Path, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ep.Path, err)
	}
	s, err := server.NewClient(server.MapLoader{ep.String(): repo.Storer}).NewUploadPackSession(ep, nil)
	if err != nil {
		return nil, err
	}
	return &local{s, repo.Storer, m}, nil
}

// UploadPack requests a pack. It omits haves that the repository itself lacks.
func (l *local) UploadPack(ctx context.Context, q *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	q.Haves = slices.DeleteFunc(q.Haves, func(h plumbing.Hash) bool { return l.from.HasEncodedObject(h) != nil })
	l.m.pause() // local work follows
	a, err := l.UploadPackSession.UploadPack(ctx, q)
	if err != nil {
		return nil, err
	}
	return packp.NewUploadPackResponseWithPackfile(q, struct {
		io.Reader
		io.Closer
	}{l.m.read(a), a}), nil
}
