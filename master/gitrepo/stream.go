package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// stream is a session with git-upload-pack over one connection.
type stream struct {
	out  io.Reader
	in   io.Writer
	end  func() error
	refs *packp.AdvRefs
}

func (s *stream) AdvertisedReferences() (*packp.AdvRefs, error) {
	return s.AdvertisedReferencesContext(context.Background())
}

// AdvertisedReferencesContext reads the announced refs.
func (s *stream) AdvertisedReferencesContext(context.Context) (*packp.AdvRefs, error) {
	if s.refs != nil {
		return s.refs, nil
	}
	refs := packp.NewAdvRefs()
	err := refs.Decode(s.out)
	switch {
	case errors.Is(err, packp.ErrEmptyInput):
		return nil, errors.New("the remote closed the connection; does the repository exist, and may this master read it?")
	case errors.Is(err, packp.ErrEmptyAdvRefs), err == nil && refs.IsEmpty():
		return nil, transport.ErrEmptyRemoteRepository
	case err != nil:
		return nil, err
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	s.refs = refs
	return refs, nil
}

// UploadPack requests a pack.
func (s *stream) UploadPack(_ context.Context, q *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if err := q.UploadRequest.Encode(s.in); err != nil {
		return nil, fmt.Errorf("send wants: %w", err)
	}
	if err := q.UploadHaves.Encode(s.in, false); err != nil {
		return nil, fmt.Errorf("send haves: %w", err)
	}
	if err := pktline.NewEncoder(s.in).EncodeString("done\n"); err != nil {
		return nil, fmt.Errorf("request a pack: %w", err)
	}
	a := packp.NewUploadPackResponse(q)
	if err := a.Decode(io.NopCloser(s.out)); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return a, nil
}

// Close closes the connection.
func (s *stream) Close() error { return s.end() }
