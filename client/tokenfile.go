package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/durable"
)

// TokenFile returns the file in which commands of this user keep a token: .salt_token in the
// home directory, the default of Salt's option token_file.
func TokenFile() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("locate token file: %w", err)
	}
	return filepath.Join(home, ".salt_token"), nil
}

// Keep writes the token to a file that only the current user can read.
func (t Token) Keep(file string) error {
	if err := durable.WriteFile(file, []byte(t.Token), 0o600); err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	return nil
}

// KeptToken reads the token in a file written by [Token.Keep] or Salt. It returns "" if the file
// does not exist.
func KeptToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
