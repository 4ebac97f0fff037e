package vectors

import "testing"

// Load is Read for a test, which fails if the file cannot be read.
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

// Keys returns the keys in keys.json: master, lower_master, minion, minion2, syndic,
// changed_minion and sign.
func Keys(tb testing.TB) (keys map[string]Key) {
	tb.Helper()
	Load(tb, "keys.json", &keys)
	return keys
}

// Batch is a recorded run of salt -b 1 on the minions b1, b2 and b3 of a master of Salt 3008.2.
type Batch struct {
	Name         string   `json:"name"` // wait, or async: the master continues alone
	Command      []string `json:"command"`
	JID          string   `json:"jid"`
	State        []byte   `json:"state"` // .batch.p of the master at the end
	Publications []struct {
		Frames [][]byte `json:"frames"` // as a subscriber received them
	} `json:"publications"`
	Events []struct {
		Tag  string `json:"tag"`
		Body []byte `json:"body"`
	} `json:"events"`
}

// Batches returns the runs in live_3008_batch.json, and the key that encrypts their
// publications.
func Batches(tb testing.TB) (runs []Batch, key string) {
	tb.Helper()
	var file struct {
		Key  string  `json:"aes_key_string"`
		Runs []Batch `json:"runs"`
	}
	Load(tb, "live_3008_batch.json", &file)
	return file.Runs, file.Key
}
