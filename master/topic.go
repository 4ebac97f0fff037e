package master

import (
	"crypto/sha1" //nolint:gosec // Salt hashes ids so; it protects nothing
	"encoding/hex"
)

// topic is the publication topic of one minion under zmq_filtering (Salt wire
// reference §2.4).
func topic(id string) string {
	sum := sha1.Sum([]byte(id)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}
