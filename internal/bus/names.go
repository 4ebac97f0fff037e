package bus

import "github.com/momtree/mom/internal/crypt"

// Names of the event sockets of a master (Salt wire reference §11.2).
const (
	MasterPubName  = "master_event_pub.ipc"
	MasterPullName = "master_event_pull.ipc"
)

// MinionNames returns the names of the event sockets of a minion, which hold
// the first 10 hex digits of the hash of its id. hashType is Salt's hash_type;
// "" means sha256.
func MinionNames(id, hashType string) (pub, pull string, err error) {
	sum, err := crypt.HexHash(hashType, id)
	if err != nil {
		return "", "", err
	}
	return "minion_event_" + sum[:10] + "_pub.ipc", "minion_event_" + sum[:10] + "_pull.ipc", nil
}
