package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/durable"
)

// kept is a token in a file: pepper's fields and the address of the API that issued it.
type kept struct {
	Token  string  `json:"token"`
	Start  float64 `json:"start"`
	Expire float64 `json:"expire"`
	User   string  `json:"user"`
	Eauth  string  `json:"eauth"`
	URL    string  `json:"url"`
}

// maxKept limits a token file, in bytes.
const maxKept = 1 << 20

// TokenFile returns the file in which commands of this user keep the token of an API:
// ~/.peppercache, pepper's default.
func TokenFile() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("locate token file: %w", err)
	}
	return filepath.Join(home, ".peppercache"), nil
}

// Keep writes a token of this API to a file that only the current user can read.
func (c *Client) Keep(file string, t client.Token) error {
	k := kept{Token: t.Token, User: t.Name, Eauth: t.Eauth, URL: c.URL()}
	if !t.Start.IsZero() {
		k.Start = float64(t.Start.UnixMicro()) / 1e6
	}
	if !t.Expire.IsZero() {
		k.Expire = float64(t.Expire.UnixMicro()) / 1e6
	}
	b, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	//mutant:remote-token-file
	if err := durable.WriteFile(file, b, 0o600); err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	return nil
}

// Kept reads the token in a file written by Keep for this API. It returns the zero token if the
// file does not exist or is for another address. A file that other users can read or that
// is invalid is an error.
func (c *Client) Kept(file string) (client.Token, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return client.Token{}, nil
	}
	if err != nil {
		return client.Token{}, fmt.Errorf("read token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return client.Token{}, fmt.Errorf("read token: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return client.Token{}, fmt.Errorf("token file %s ignored: other users may read or write it (mode %v); remove the file and log in again with -T", file, info.Mode().Perm())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKept))
	if err != nil {
		return client.Token{}, fmt.Errorf("read token: %w", err)
	}
	k, err := parseKept(b)
	if err != nil {
		return client.Token{}, fmt.Errorf("read token in %s: %w; remove the file and log in again with -T", file, err)
	}
	//mutant:remote-token-of-another-host
	if k.URL != c.URL() { // never send a token to another host
		return client.Token{}, nil
	}
	return client.Token{Token: k.Token, Name: k.User, Eauth: k.Eauth, Start: unix(k.Start), Expire: unix(k.Expire)}, nil
}

func parseKept(b []byte) (kept, error) {
	var k kept
	if err := json.Unmarshal(b, &k); err != nil {
		return kept{}, errors.New("not a token in JSON")
	}
	return k, nil
}
