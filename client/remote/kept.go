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
	"github.com/momtree/mom/internal/crypt"
)

// kept is a token in a file: what pepper writes there, and the address that it is for.
type kept struct {
	Token  string  `json:"token"`
	Start  float64 `json:"start"`
	Expire float64 `json:"expire"`
	User   string  `json:"user"`
	Eauth  string  `json:"eauth"`
	URL    string  `json:"url"`
}

// maxKept bounds the file of a token, in bytes.
const maxKept = 1 << 20

// TokenFile is where commands of this user keep a token of an API between them:
// ~/.peppercache, as pepper does.
func TokenFile() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("the file of login tokens: %w", err)
	}
	return filepath.Join(home, ".peppercache"), nil
}

// Keep writes a token of this API to a file, which nobody else may read.
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
		return fmt.Errorf("keep the token: %w", err)
	}
	//mutant:remote-token-file
	if err := crypt.WriteFile(file, b, 0o600); err != nil {
		return fmt.Errorf("keep the token: %w", err)
	}
	return nil
}

// Kept reads the token of a file that Keep has written for this API; the zero token if there
// is none, or one for another address. One that others may read, or a file that cannot be
// understood, is an error.
func (c *Client) Kept(file string) (client.Token, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return client.Token{}, nil
	}
	if err != nil {
		return client.Token{}, fmt.Errorf("read the token of an earlier login: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return client.Token{}, fmt.Errorf("read the token of an earlier login: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return client.Token{}, fmt.Errorf("the token in %s is not used: others may read it or write it (mode %v); remove the file, and log in again with -T", file, info.Mode().Perm())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKept))
	if err != nil {
		return client.Token{}, fmt.Errorf("read the token of an earlier login: %w", err)
	}
	k, err := parseKept(b)
	if err != nil {
		return client.Token{}, fmt.Errorf("the token in %s cannot be read: %w; remove the file, and log in again with -T", file, err)
	}
	//mutant:remote-token-of-another-host
	if k.URL != c.URL() { // a token is for the host that gave it
		return client.Token{}, nil
	}
	return client.Token{Token: k.Token, Name: k.User, Eauth: k.Eauth, Start: unix(k.Start), Expire: unix(k.Expire)}, nil
}

func parseKept(b []byte) (kept, error) {
	var k kept
	if err := json.Unmarshal(b, &k); err != nil {
		return kept{}, errors.New("it is no JSON of a token")
	}
	return k, nil
}
