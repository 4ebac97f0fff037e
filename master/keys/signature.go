package keys

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// SignText returns the content of a signature file: a signature of a key text in base64, on one line.
func SignText(alg string, key *crypt.KeyPair, text string) ([]byte, error) {
	sig, err := crypt.Sign(alg, key.Private, []byte(text))
	if err != nil {
		return nil, err
	}
	return append(base64.StdEncoding.AppendEncode(nil, sig), '\n'), nil
}

// WriteSignature creates a signature file for the text of a public key, like
// `salt-key --gen-signature`. It keeps an existing file; made is false then.
func WriteSignature(path string, key *crypt.KeyPair, text string) (made bool, err error) {
	b, err := SignText(crypt.PKCS1SHA1, key, text)
	if err == nil {
		err = durable.CreateFile(path, b, crypt.PublicMode)
	}
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("make signature of public key: %w", err)
	}
	return true, nil
}
