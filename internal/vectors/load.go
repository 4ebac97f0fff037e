package vectors

import "testing"

// Load is Read for a test, which ends where the file cannot be read.
func Load(tb testing.TB, name string, into any) {
	tb.Helper()
	if err := Read(name, into); err != nil {
		tb.Fatal(err)
	}
}

// Key is one of the recorded RSA keys.
type Key struct {
	PrivatePEM string `json:"private_pem"`
	PublicPEM  string `json:"public_pem"`
}

// Keys are the keys of keys.json: master, lower_master, minion, minion2, syndic,
// changed_minion and sign.
func Keys(tb testing.TB) (keys map[string]Key) {
	tb.Helper()
	Load(tb, "keys.json", &keys)
	return keys
}
