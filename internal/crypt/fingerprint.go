package crypt

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// Fingerprint returns Salt's fingerprint of a PEM file: the hash over its lines without blank
// ones, the first and the last, as lower-case hex pairs joined by colons (Salt wire reference
// §5.3). hash is a hash_type (md5, sha1, sha224, sha256, sha384, sha512); empty means sha256.
func Fingerprint(pem []byte, hash string) (string, error) {
	w, err := NewHash(strings.ToLower(hash))
	if err != nil {
		return "", fmt.Errorf("fingerprint: %w: hash_type %q, known are md5, sha1, sha224, sha256, sha384, sha512", ErrBadAlgorithm, hash)
	}
	var lines [][]byte
	for line := range bytes.Lines([]byte(lineEnds.Replace(string(pem)))) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) > 2 {
		for _, line := range lines[1 : len(lines)-1] {
			w.Write(line)
		}
	}
	return colons(w.Sum(nil)), nil
}

func colons(sum []byte) string {
	out := make([]byte, 0, 3*len(sum))
	for i, b := range sum {
		if i > 0 {
			out = append(out, ':')
		}
		out = hex.AppendEncode(out, []byte{b})
	}
	return string(out)
}
