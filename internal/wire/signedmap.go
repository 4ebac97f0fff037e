package wire

import "slices"

// signedFirst are the fields that a map signed with a master's key may begin with: a reply to
// a sign-in (ret, enc), a pillar (key), our lists and vouchers (kind), the messages between
// the masters of a Salt cluster (return_token, peer_id), and the other fields of these.
var signedFirst = []string{
	"ret", "enc", "key", "kind", "return_token", "peer_id",
	"nonce", "pub_key", "publish_port", "pub_sig", "token", "aes", "session", "sig", "pillar",
}

// IsSignedMap reports whether b begins like a map that a master's key signs, such as a reply to
// a sign-in. The requester of that reply chooses part of its bytes, so a publication that
// begins like this may be forged (docs/design/signatures.md). A true publication begins with
// random bytes: one in 2^33 looks like this by chance.
func IsSignedMap(b []byte) bool {
	head := 1
	switch {
	case len(b) == 0:
		return false
	case b[0]&0xf0 == 0x80: // fixmap
	case b[0] == 0xde: // map 16
		head = 3
	case b[0] == 0xdf: // map 32
		head = 5
	default:
		return false
	}
	if len(b) <= head {
		return false
	}
	key, _, err := Next(b[head:], Limits{})
	if err != nil {
		return false
	}
	name, err := Bytes(key)
	return err == nil && slices.Contains(signedFirst, string(name))
}
