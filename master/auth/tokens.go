package auth

import (
	"context"
	"fmt"
)

// Token returns a valid token, of a login service that is still in external_auth. The error is
// [ErrNoToken], or that of ctx.
func (s *Service) Token(ctx context.Context, id string) (Token, error) {
	if err := ctx.Err(); err != nil {
		return Token{}, err
	}
	t, err := s.tokens.get(id)
	if err != nil {
		return Token{}, err
	}
	if s.backends[t.Eauth] == nil {
		return Token{}, fmt.Errorf("%w: external_auth no longer has %q", ErrNoToken, t.Eauth)
	}
	if !s.keepACL {
		t.AuthList = nil
	}
	return t, nil
}

// Revoke removes a token and syncs that. The error is [ErrNoToken], or says that the file cannot be
// removed.
func (s *Service) Revoke(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.tokens.remove(id)
}
