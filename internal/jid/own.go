package jid

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// OwnSuffix returns the suffix of the ids of jobs that a minion starts on its own. It differs
// between minions, so that no minion can use the id of another's job.
func OwnSuffix(minion string) string {
	sum := sha256.Sum256([]byte(minion))
	return "_m" + hex.EncodeToString(sum[:6])
}

// IsOwn reports whether a job id can be one that this minion created.
func IsOwn(jid, minion string) bool {
	return Valid(jid) && len(jid) == digits+len(OwnSuffix(minion)) && strings.HasSuffix(jid, OwnSuffix(minion))
}
