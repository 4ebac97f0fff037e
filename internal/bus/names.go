package bus

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// Names of the event sockets of a master (Salt wire reference §11.2).
const (
	MasterPubName  = "master_event_pub.ipc"
	MasterPullName = "master_event_pull.ipc"
)

// ErrHash is wrapped when a hash_type is unknown.
var ErrHash = errors.New("unknown hash_type")

var hashes = map[string]func() hash.Hash{
	"": sha256.New, "md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224,
	"sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

// MinionNames returns the names of the event sockets of a minion, which hold
// the first 10 hex digits of the hash of its id. hashType is Salt's hash_type;
// "" means sha256.
func MinionNames(id, hashType string) (pub, pull string, err error) {
	newHash, ok := hashes[hashType]
	if !ok {
		return "", "", fmt.Errorf("%w %q: give md5, sha1, sha224, sha256, sha384 or sha512", ErrHash, hashType)
	}
	h := newHash()
	h.Write([]byte(id))
	short := hex.EncodeToString(h.Sum(nil))[:10]
	return "minion_event_" + short + "_pub.ipc", "minion_event_" + short + "_pull.ipc", nil
}
