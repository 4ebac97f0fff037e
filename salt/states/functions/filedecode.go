package functions

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file",
		Function{Name: "decode", Run: fileDecode, Spec: states.Spec{Args: args(onlyName, "encoded_data", nil, "contents_pillar", nil,
			"encoding_type", "base64", "checksum", "md5")}, Doc: `
Keeps a file with what base64 encodes.

encoded_data, contents_pillar
    The text, or the key of the pillar that has it.
checksum : md5
    How the files are compared, and what the changes tell: md5, sha1, sha256, sha512.
`},
		Function{Name: "shortcut", Spec: states.Spec{VarKw: true, Args: args([]string{"name", "target"})}, Run: func(_ context.Context, c *Call) (*states.Result, error) {
			return bad(c.Name(), "Shortcuts are only supported on Windows"), nil
		}, Doc: "\nKeeps a shortcut of Windows: fails everywhere else, as in Salt.\n"},
	)
}

// decodeBase64 is Python's b64decode: what is no character of the alphabet is passed
// over.
func decodeBase64(s string) ([]byte, error) {
	clean := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '+' || r == '/' {
			return r
		}
		return -1
	}, s)
	padded := len(clean) + strings.Count(s, "=")
	if padded%4 != 0 || len(clean)%4 == 1 {
		return nil, errors.New("Incorrect padding")
	}
	return base64.RawStdEncoding.DecodeString(clean)
}

func fileDecode(_ context.Context, c *Call) (*states.Result, error) {
	name, kind := c.Name(), c.Str("checksum")
	data, fromPillar := c.Truth("encoded_data"), c.Truth("contents_pillar")
	content := c.Value("encoded_data")
	switch {
	case !data && !fromPillar:
		return nil, errors.New("Specify either the 'encoded_data' or 'contents_pillar' argument.")
	case data && fromPillar:
		return nil, errors.New("Specify only one 'encoded_data' or 'contents_pillar' argument.")
	case fromPillar:
		v, ok := modules.Traverse(c.Env.Pillar(), pystr(c.Value("contents_pillar")), ":")
		if !ok {
			return nil, errors.New("Pillar data not found.")
		}
		content = v
	}
	switch {
	case c.Str("encoding_type") != "base64":
		return bad(name, "encoding_type of file.decode is base64 alone, not %s", pystr(c.Value("encoding_type"))), nil
	case !slices.Contains([]string{"md5", "sha1", "sha256", "sha512"}, kind):
		return nil, fmt.Errorf("Invalid hash type '%s'", pystr(c.Value("checksum")))
	}
	if c.Test && !isFile(name) {
		return would(name, "File is set to be updated.", nil), nil
	}
	wanted, err := decodeBase64(pystr(content))
	if err != nil {
		return nil, err
	}
	h, err := crypt.NewHash(kind)
	if err != nil {
		return nil, err
	}
	h.Write(wanted)
	sum := fmt.Sprintf("%x", h.Sum(nil))
	changes := value.NewMap("old", nil, "new", sum)
	if isFile(name) {
		old, err := hashOf(name, kind)
		if err != nil {
			return nil, err
		}
		if old == sum {
			return good(name, "File is in the correct state."), nil
		}
		changes.Set("old", old)
	}
	if c.Test {
		return would(name, "File is set to be updated.", changes), nil
	}
	tmp, err := scratch(wanted)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp) }()
	if err := c.put(tmp, name); err != nil {
		return nil, err
	}
	res := good(name, "File was updated.")
	res.Changes = changes
	return res, nil
}

// put writes a file, a new one with the mode the mask of the process gives.
func (c *Call) put(from, name string) error {
	if isDir(name) {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	if !exists(name) {
		if err := touchNew(name, false); err != nil {
			return err
		}
	}
	return c.replace(from, name, "")
}
