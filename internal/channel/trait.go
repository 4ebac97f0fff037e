package channel

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// Suffixes of the files beside the pinned key that list the masters with a trait.
const (
	signsSuffix   = ".signs"   // they sign their publications
	serialsSuffix = ".serials" // their publications have a serial
)

// maxTraits bounds the lines of such a file; a new line replaces the oldest.
const maxTraits = 64

// traitFiles is locked while one of those files is changed, because several masters may share
// one.
var traitFiles sync.Mutex

// trait records whether a master has ever protected a publication in some way. From then on the
// protection is required, even after a restart. A master is identified by its key and its
// address: a new key starts without the trait, and so does a second master that shares the key.
type trait struct {
	path, addr string

	mu    sync.Mutex
	key   string // fingerprint of the key that has the trait, "" if none
	saved bool   // the file contains it
}

// openTrait reads the trait that earlier runs recorded. With an error the trait is not set.
func openTrait(path, addr string) (*trait, error) {
	s := &trait{path: path, addr: addr}
	key, err := s.read()
	//mutant:signatures-over-restarts
	s.key, s.saved = key, key != ""
	return s, err
}

// lines returns the lines of the file, each a fingerprint and an address.
func (s *trait) lines() ([]string, error) {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how masters publish: %w", err)
	}
	return parseTraits(b), nil
}

func parseTraits(b []byte) []string {
	var out []string
	for _, line := range strings.Split(string(bytes.TrimSpace(b)), "\n") {
		finger, addr, ok := strings.Cut(line, " ")
		if ok && crypt.IsFinger(finger) && addr != "" && len(out) < maxTraits {
			out = append(out, line)
		}
	}
	return out
}

func (s *trait) read() (key string, err error) {
	lines, err := s.lines()
	for _, line := range lines {
		if finger, addr, _ := strings.Cut(line, " "); addr == s.addr {
			key = finger
		}
	}
	return key, err
}

// holds reports whether the master with that key has the trait. An operator resets it by
// removing the file.
func (s *trait) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == "" || s.key != key {
		return false
	}
	if now, err := s.read(); s.saved && err == nil && now == "" {
		s.key, s.saved = "", false
		return false
	}
	return true
}

// note records that the master with that key has the trait. It is set for this process even if
// the error says that it could not be written.
func (s *trait) note(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == key {
		return nil
	}
	s.key, s.saved = key, false
	traitFiles.Lock()
	defer traitFiles.Unlock()
	lines, err := s.lines()
	if err != nil {
		return err
	}
	line := key + " " + s.addr
	//mutant:signing-masters-are-written-once
	if slices.Contains(lines, line) { // written by another channel that shares the file
		s.saved = true
		return nil
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, " "+s.addr) })
	if n := len(lines) + 1 - maxTraits; n > 0 {
		lines = lines[n:]
	}
	lines = append(lines, line)
	if err := durable.WriteFile(s.path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("write how the master publishes: %w", err)
	}
	s.saved = true
	return nil
}
