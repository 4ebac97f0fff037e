package keys

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"

	"github.com/momtree/mom/internal/crypt"
)

// SignText is the content of a signature file: base64, in one line with a
// newline, of a signature over a key text.
func SignText(alg string, key *crypt.KeyPair, text string) ([]byte, error) {
	sig, err := crypt.Sign(alg, key.Private, []byte(text))
	if err != nil {
		return nil, err
	}
	return append(base64.StdEncoding.AppendEncode(nil, sig), '\n'), nil
}

// WriteSignature makes a signature file over the text of a public key, as
// `salt-key --gen-signature` does. A file that is there already is left alone;
// made is false then, which is what salt-key prints.
func WriteSignature(path string, key *crypt.KeyPair, text string) (made bool, err error) {
	b, err := SignText(crypt.PKCS1SHA1, key, text)
	if err == nil {
		err = crypt.CreateFile(path, b, crypt.PublicMode)
	}
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("make signature of public key: %w", err)
	}
	return true, nil
}
