package wire

// SignedBytes returns the bytes a minion signs with minion_sign_messages and a
// master verifies: the load by bus rules, without sig, nonce and tok (Salt wire
// reference §9.1).
func SignedBytes(load Raw) ([]byte, error) {
	rest, err := Without(load, "sig", "nonce", "tok")
	if err != nil {
		return nil, err
	}
	return ToBus(rest)
}
