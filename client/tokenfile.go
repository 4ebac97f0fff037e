package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/crypt"
)

// TokenFile is where commands of this user keep a token between them: .salt_token in the
// home folder, Salt's option token_file at its default.
func TokenFile() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("the file of login tokens: %w", err)
	}
	return filepath.Join(home, ".salt_token"), nil
}

// Keep writes a token to a file, which nobody else may read.
func (t Token) Keep(file string) error {
	if err := crypt.WriteFile(file, []byte(t.Token), 0o600); err != nil {
		return fmt.Errorf("keep the token: %w", err)
	}
	return nil
}

// KeptToken reads the token of a file that [Token.Keep] or Salt has written; "" if there is
// none.
func KeptToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the token of an earlier login: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
