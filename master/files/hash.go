package files

import (
	"context"
	"fmt"
	"io"

	"github.com/momtree/mom/internal/crypt"
)

// hashKey is the cache key of a hash.
type hashKey struct{ back, content string }

// hashPiece is the size of the buffer for hashing, in bytes.
const hashPiece = 256 << 10

// Hash returns the hash of a file in hex digits, by the hash_type of the configuration. The hash is
// cached by [File.Key]. Concurrent calls for the same content read the file once.
func (s *Server) Hash(ctx context.Context, f Found) (string, error) {
	typ := s.cfg.HashType
	if f.Sum != "" && f.HashType == typ {
		return f.Sum, nil
	}
	key := hashKey{f.Back, f.Key}
	if f.Key != "" {
		if sum, ok := s.hashes.Get(key); ok {
			return sum, nil
		}
	}
	done := s.hashing.DoChan(f.Back+"\x00"+f.Key+"\x00"+f.Path, func() (any, error) {
		select {
		case s.turns <- struct{}{}:
		case <-s.ctx.Done():
			return "", s.ctx.Err()
		}
		defer func() { <-s.turns }()
		if f.Key != "" { // another call may have read it meanwhile
			if sum, ok := s.hashes.Get(key); ok {
				return sum, nil
			}
		}
		sum, err := s.sum(s.ctx, f)
		//mutant:files-hash-kept
		if err == nil && f.Key != "" {
			s.hashes.Add(key, sum)
		}
		return sum, err
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return "", fmt.Errorf("hash of %s: %w", f.Path, r.Err)
		}
		return r.Val.(string), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// sum reads a file in pieces and returns its hash.
func (s *Server) sum(ctx context.Context, f Found) (string, error) {
	h, err := crypt.NewHash(s.cfg.HashType)
	if err != nil {
		return "", err
	}
	c, err := f.Open(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	s.counts.Hashed.Add(1)
	buf := make([]byte, hashPiece)
	for at := int64(0); ; {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := c.ReadAt(buf, at)
		h.Write(buf[:n])
		at += int64(n)
		if err == io.EOF { //nolint:errorlint // io.ReaderAt gives it as it is
			return fmt.Sprintf("%x", h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}
