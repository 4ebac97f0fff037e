package jid

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// OwnSuffix is what the ids of jobs end in that a minion has begun by itself: another one
// for each minion, so that no minion can give the id of a job that is not its own.
func OwnSuffix(minion string) string {
	sum := sha256.Sum256([]byte(minion))
	return "_m" + hex.EncodeToString(sum[:6])
}

// IsOwn tells whether a job id is one that this minion may have given.
func IsOwn(jid, minion string) bool {
	return Valid(jid) && len(jid) == digits+len(OwnSuffix(minion)) && strings.HasSuffix(jid, OwnSuffix(minion))
}
