package swarm

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// Keys is a folder of key pairs that is filled once and used again: making one pair
// of 2048 bits takes longer than all else a minion does. Minion i has pair i mod
// Count. Safe for concurrent use.
type Keys struct {
	// Dir holds a file for each pair. Several processes may use it at once.
	Dir string
	// Count is how many pairs there are; 1 is one shared by all.
	Count int
	// Bits of a new pair. Default 2048.
	Bits int

	mu    sync.Mutex
	ready []*Key // index: number of the pair
}

// Key is what a minion needs of its pair. The private half is read again for each
// sign-in, unless few share it: it is five times as large in memory as all else.
type Key struct {
	// Public is the text of the public key.
	Public string
	// Tok proves the identity in requests: "salt" under the private key, the same in
	// all requests and costly to make.
	Tok []byte

	path string
	pair *crypt.KeyPair // nil: read it
}

// keptPairs is up to how many pairs stay in memory.
const keptPairs = 16

// Pair gives both halves.
func (k *Key) Pair() (*crypt.KeyPair, error) {
	if k.pair != nil {
		return k.pair, nil
	}
	_, pair, err := readKey(k.path)
	return pair, err
}

// Key is that of the minion with running number n. It must have been made.
func (k *Keys) Key(n int) (*Key, error) {
	i := n % k.Count
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ready == nil {
		k.ready = make([]*Key, k.Count)
	}
	if k.ready[i] != nil {
		return k.ready[i], nil
	}
	key, pair, err := readKey(k.path(i))
	if err != nil {
		return nil, err
	}
	if k.Count <= keptPairs {
		key.pair = pair
	}
	k.ready[i] = key
	return key, nil
}

func (k *Keys) path(i int) string { return filepath.Join(k.Dir, fmt.Sprintf("%06d.pem", i)) }

// Make makes what lacks of the pairs for ids, on all processors. progress, which may
// be nil, is called with how many of them are there.
func (k *Keys) Make(ctx context.Context, ids IDs, progress func(done, of int)) error {
	if k.Count < 1 {
		return fmt.Errorf("%d key pairs: at least one", k.Count)
	}
	if err := os.MkdirAll(k.Dir, 0o700); err != nil {
		return fmt.Errorf("folder of the keys: %w", err)
	}
	of := min(k.Count, ids.Count)
	var next, done atomic.Int64
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= of || ctx.Err() != nil {
					return
				}
				if errs[w] = k.ensure((ids.First + i) % k.Count); errs[w] != nil {
					return
				}
				if n := int(done.Add(1)); progress != nil {
					progress(n, of)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), ctx.Err())
}

func (k *Keys) ensure(i int) error {
	path := k.path(i)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	pair, err := crypt.NewKeyPair(k.Bits)
	if err != nil {
		return fmt.Errorf("make a key pair: %w", err)
	}
	tok, err := crypt.X931Sign(pair.Private, []byte("salt"))
	if err != nil {
		return fmt.Errorf("prove an identity: %w", err)
	}
	text, err := crypt.PrivatePEM(pair.Private, "")
	if err != nil {
		return fmt.Errorf("write a key pair: %w", err)
	}
	text = append(text, pair.PublicPEM...)
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: tokBlock, Bytes: tok})...)
	if err := durable.CreateFile(path, text, 0o400); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep a key pair: %w", err)
	}
	return nil
}

// tokBlock is the third block of a file, after both halves of the pair.
const tokBlock = "SALT TOK"

// readKey reads a file that ensure has written.
func readKey(path string) (*Key, *crypt.KeyPair, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("key pair: %w", err)
	}
	return parseKey(text, path)
}

// parseKey takes such a file apart: private half, public half, proof.
func parseKey(text []byte, path string) (*Key, *crypt.KeyPair, error) {
	k := &Key{path: path}
	private, rest := pem.Decode(text)
	at := len(text) - len(rest)
	public, rest := pem.Decode(rest)
	end := len(text) - len(rest)
	tok, rest := pem.Decode(rest)
	if private == nil || public == nil || tok == nil || len(tok.Bytes) == 0 || tok.Type != tokBlock || len(bytes.TrimSpace(rest)) > 0 {
		return nil, nil, fmt.Errorf("key pair: %s is not a file of a swarm's keys: remove it and it is made anew", path)
	}
	k.Public, k.Tok = string(text[at:end]), tok.Bytes
	key, err := crypt.ParsePrivatePEM(text[:at], "")
	if err != nil {
		return nil, nil, fmt.Errorf("key pair: %s: %w: remove it and it is made anew", path, err)
	}
	return k, &crypt.KeyPair{Private: key, PublicPEM: k.Public}, nil
}
