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

// Batch is a run of salt -b 1 on the minions b1, b2 and b3 at a running master of Salt 3008.2.
type Batch struct {
	Name         string   `json:"name"` // wait, or async: the master goes on by itself
	Command      []string `json:"command"`
	JID          string   `json:"jid"`
	State        []byte   `json:"state"` // .batch.p of the master in the end
	Publications []struct {
		Frames [][]byte `json:"frames"` // as they came to a subscriber
	} `json:"publications"`
	Events []struct {
		Tag  string `json:"tag"`
		Body []byte `json:"body"`
	} `json:"events"`
}

// Batches are the runs of live_3008_batch.json, and the key that their publications are sealed with.
func Batches(tb testing.TB) (runs []Batch, key string) {
	tb.Helper()
	var file struct {
		Key  string  `json:"aes_key_string"`
		Runs []Batch `json:"runs"`
	}
	Load(tb, "live_3008_batch.json", &file)
	return file.Runs, file.Key
}
