package wire

// SignedBytes returns the bytes that a minion signs with minion_sign_messages and a master
// verifies: the load in bus encoding, without sig, nonce and tok (Salt wire reference §9.1).
func SignedBytes(load Raw) ([]byte, error) { return signedBytes(load, "sig", "nonce", "tok") }

// EarlySignedBytes returns the bytes that Salt's minions from 3006.12 to 3006.26 sign. They
// sign before the load passes their event bus, which adds _stamp, and before the channel adds
// ts. Salt's own masters refuse these signatures.
func EarlySignedBytes(load Raw) ([]byte, error) {
	return signedBytes(load, "sig", "nonce", "tok", "ts", "_stamp")
}

func signedBytes(load Raw, unsigned ...string) ([]byte, error) {
	rest, err := Without(load, unsigned...)
	if err != nil {
		return nil, err
	}
	return ToBus(rest)
}
