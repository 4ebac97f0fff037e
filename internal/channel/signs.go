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
)

// signsSuffix makes the name of the file beside the pinned key in which it stands which masters
// have signed their publications.
const signsSuffix = ".signs"

// maxSigners bounds the lines of that file; the oldest goes for a new one.
const maxSigners = 64

// signsFiles is held while one of those files is changed: several masters may share one.
var signsFiles sync.Mutex

// signs remembers whether a master has ever signed a publication: from then on it is held to
// it, over restarts too. A master is known by its key and its address, so that another key
// begins anew, and so does a second master that shares the key.
type signs struct {
	path, addr string

	mu     sync.Mutex
	key    string // finger of the key that has signed, "" for none
	stands bool   // and the file says so
}

// openSigns reads what earlier lives have seen; what cannot be read is told, and counts for nothing.
func openSigns(path, addr string) (*signs, error) {
	s := &signs{path: path, addr: addr}
	key, err := s.read()
	s.key, s.stands = key, key != ""
	return s, err
}

// lines gives the file's lines: a fingerprint and an address each.
func (s *signs) lines() ([]string, error) {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("which masters sign: %w", err)
	}
	return parseSigns(b), nil
}

func parseSigns(b []byte) []string {
	var out []string
	for _, line := range strings.Split(string(bytes.TrimSpace(b)), "\n") {
		finger, addr, ok := strings.Cut(line, " ")
		if ok && crypt.IsFinger(finger) && addr != "" && len(out) < maxSigners {
			out = append(out, line)
		}
	}
	return out
}

func (s *signs) read() (key string, err error) {
	lines, err := s.lines()
	for _, line := range lines {
		if finger, addr, _ := strings.Cut(line, " "); addr == s.addr {
			key = finger
		}
	}
	return key, err
}

// holds tells whether the master with that key has signed before. Who removes the file takes
// that back.
func (s *signs) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == "" || s.key != key {
		return false
	}
	if now, err := s.read(); s.stands && err == nil && now == "" {
		s.key, s.stands = "", false
		return false
	}
	return true
}

// note remembers that the master with that key has signed.
func (s *signs) note(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == key {
		return nil
	}
	s.key, s.stands = key, false // also if it cannot be written: this life knows
	signsFiles.Lock()
	defer signsFiles.Unlock()
	lines, err := s.lines()
	if err != nil {
		return err
	}
	line := key + " " + s.addr
	if slices.Contains(lines, line) { // by another channel that shares the file
		s.stands = true
		return nil
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, " "+s.addr) })
	if n := len(lines) + 1 - maxSigners; n > 0 {
		lines = lines[n:]
	}
	lines = append(lines, line)
	if err := crypt.WriteFile(s.path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("remember that the master signs: %w", err)
	}
	s.stands = true
	return nil
}
