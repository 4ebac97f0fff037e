package gossip

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/memberlist"
)

// readKeyring reads the keys of a file, one per line in base64, of 16, 24 or 32 bytes. The first
// one encrypts. Empty lines and comments after # are skipped.
func readKeyring(path string) ([][]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("gossip: read keyring: %w", err)
	}
	keys, err := parseKeyring(b)
	if err != nil {
		return nil, fmt.Errorf("gossip: keyring %s: %w", path, err)
	}
	return keys, nil
}

func parseKeyring(b []byte) ([][]byte, error) {
	var keys [][]byte
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is not base64; create a key with: openssl rand -base64 32", n)
		}
		if err := memberlist.ValidateKey(key); err != nil {
			return nil, fmt.Errorf("line %d: a key of %d bytes, must be 16, 24 or 32", n, len(key))
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("no key; create one with: openssl rand -base64 32")
	}
	return keys, nil
}

// rotate replaces the keys of a ring, the first as the primary.
func rotate(ring *memberlist.Keyring, keys [][]byte) error {
	for _, k := range keys {
		if err := ring.AddKey(k); err != nil {
			return fmt.Errorf("gossip: add a key: %w", err)
		}
	}
	if err := ring.UseKey(keys[0]); err != nil {
		return fmt.Errorf("gossip: use the first key: %w", err)
	}
	for _, old := range ring.GetKeys() {
		kept := false
		for _, k := range keys {
			kept = kept || bytes.Equal(k, old)
		}
		if kept {
			continue
		}
		if err := ring.RemoveKey(old); err != nil {
			return fmt.Errorf("gossip: remove a key: %w", err)
		}
	}
	return nil
}
