package modules

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"
	"os"
	"strings"

	"github.com/momtree/mom/internal/crypt"
)

func init() {
	text := Arg{Name: "instr", Required: true}
	Register("hashutil",
		Function{Name: "md5_digest", Args: []Arg{text}, Run: digestOf("md5"), Doc: hashDoc("Return the MD5 digest of the text instr as hex digits.", "md5_digest 'get salted'")},
		Function{Name: "sha256_digest", Args: []Arg{text}, Run: digestOf("sha256"), Doc: hashDoc("Return the SHA-256 digest of the text instr as hex digits.", "sha256_digest 'get salted'")},
		Function{Name: "sha512_digest", Args: []Arg{text}, Run: digestOf("sha512"), Doc: hashDoc("Return the SHA-512 digest of the text instr as hex digits.", "sha512_digest 'get salted'")},
		Function{
			Name: "digest", Args: []Arg{text, {Name: "checksum", Default: "md5"}}, Run: hashutilDigest,
			Doc: hashDoc("Return the digest of the text instr as hex digits; checksum is md5, sha256 or sha512.", "digest 'get salted' sha256"),
		},
		Function{
			Name: "digest_file", Args: []Arg{{Name: "infile", Required: true}, {Name: "checksum", Default: "md5"}}, Run: hashutilDigestFile,
			Doc: hashDoc("Return the digest of the file infile as hex digits; checksum is md5, sha256 or sha512.", "digest_file /etc/hosts"),
		},
		Function{Name: "base64_b64encode", Args: []Arg{text}, Run: base64Encode(false), Doc: hashDoc("Encode the text instr as base64, in one line.", "base64_b64encode 'get salted'")},
		Function{Name: "base64_b64decode", Args: []Arg{text}, Run: base64Decode, Doc: hashDoc("Decode the base64 text instr.", "base64_b64decode 'Z2V0IHNhbHRlZA=='")},
		Function{Name: "base64_encodestring", Args: []Arg{text}, Run: base64Encode(true), Doc: hashDoc("Encode the text instr as base64, with a line end after 76 characters and at the end.", "base64_encodestring 'get salted'")},
		Function{Name: "base64_decodestring", Args: []Arg{text}, Run: base64Decode, Doc: hashDoc("Decode the base64 text instr, which may have several lines.", "base64_decodestring 'Z2V0IHNhbHRlZAo='")},
		Function{
			Name: "base64_encodefile", Args: []Arg{{Name: "fname", Required: true}}, Run: hashutilEncodeFile,
			Doc: hashDoc("Return the file fname as base64, with a line end after 76 characters and at the end.", "base64_encodefile /etc/hosts"),
		},
		Function{
			Name: "hmac_signature", Args: []Arg{{Name: "string", Required: true}, {Name: "shared_secret", Required: true}, {Name: "challenge_hmac", Required: true}}, Run: hashutilSignature,
			Doc: hashDoc("Report whether challenge_hmac is the HMAC-SHA256 of string under shared_secret, in base64.", "hmac_signature 'get salted' 'shared secret' 'eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ='"),
		},
		Function{
			Name: "hmac_compute", Args: []Arg{{Name: "string", Required: true}, {Name: "shared_secret", Required: true}}, Run: hashutilCompute,
			Doc: hashDoc("Return the HMAC-SHA256 of string under shared_secret as hex digits.", "hmac_compute 'get salted' 'shared secret'"),
		},
		Function{
			Name: "github_signature", Args: []Arg{{Name: "string", Required: true}, {Name: "shared_secret", Required: true}, {Name: "challenge_hmac", Required: true}}, Run: hashutilGitHub,
			Doc: hashDoc("Report whether challenge_hmac, such as sha1=bc65…, is the HMAC of string under shared_secret.", "github_signature '{\"ref\": 1}' 'shared secret' 'sha1=bc6550fc290acf5b42283fa8deaf55cea0f8c206'"),
		},
	)
}

func hashDoc(what, example string) string {
	return "\n" + what + "\n\nCLI Example:\n\n    salt '*' hashutil." + example + "\n"
}

// digest returns what hashutil.digest does.
func digest(text, checksum string) (any, error) {
	switch checksum {
	case "md5", "sha256", "sha512":
		return crypt.HexHash(checksum, text)
	}
	return nil, CommandErrorf("Hash func '%s' is not supported.", checksum)
}

func digestOf(checksum string) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		return digest(PyStr(c.Args[0]), checksum)
	}
}

func hashutilDigest(_ context.Context, c *Call) (any, error) {
	return digest(PyStr(c.Args[0]), PyStr(c.Args[1]))
}

func hashutilDigestFile(_ context.Context, c *Call) (any, error) {
	b, err := readNamed(PyStr(c.Args[0]))
	if err != nil {
		return nil, err
	}
	return digest(string(b), PyStr(c.Args[1]))
}

func readNamed(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &CommandError{Msg: "File path '" + path + "' not found."}
	case err != nil:
		return nil, &CommandError{Msg: err.Error()}
	}
	return b, nil
}

// base64Line is the number of characters per line of Python's base64.encodebytes.
const base64Line = 76

func encodeLines(b []byte) string {
	all := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(all) > base64Line {
		out.WriteString(all[:base64Line] + "\n")
		all = all[base64Line:]
	}
	if all != "" {
		out.WriteString(all + "\n")
	}
	return out.String()
}

func base64Encode(lines bool) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		b := []byte(PyStr(c.Args[0]))
		if lines {
			return encodeLines(b), nil
		}
		return base64.StdEncoding.EncodeToString(b), nil
	}
}

func hashutilEncodeFile(_ context.Context, c *Call) (any, error) {
	b, err := readNamed(PyStr(c.Args[0]))
	if err != nil {
		return nil, err
	}
	return encodeLines(b), nil
}

// base64Decode ignores characters outside of base64, as Python does.
func base64Decode(_ context.Context, c *Call) (any, error) {
	clean := strings.Map(func(r rune) rune {
		if r < 128 && strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", r) {
			return r
		}
		return -1
	}, PyStr(c.Args[0]))
	b, err := base64.StdEncoding.DecodeString(clean)
	if err != nil {
		return nil, &CommandError{Msg: "decode base64: " + err.Error()}
	}
	return string(b), nil
}

func signature(c *Call) []byte {
	mac := hmac.New(sha256.New, []byte(PyStr(c.Value("shared_secret"))))
	mac.Write([]byte(PyStr(c.Value("string"))))
	return mac.Sum(nil)
}

func hashutilCompute(_ context.Context, c *Call) (any, error) {
	return hex.EncodeToString(signature(c)), nil
}

func hashutilSignature(_ context.Context, c *Call) (any, error) {
	want, err := base64.StdEncoding.DecodeString(PyStr(c.Value("challenge_hmac")))
	if err != nil {
		return nil, &CommandError{Msg: "challenge_hmac: " + err.Error()}
	}
	return hmac.Equal(signature(c), want), nil
}

func hashutilGitHub(_ context.Context, c *Call) (any, error) {
	name, challenge, _ := strings.Cut(PyStr(c.Value("challenge_hmac")), "=")
	if _, err := crypt.NewHash(name); err != nil {
		return nil, &CommandError{Msg: "challenge_hmac: unknown hash " + name}
	}
	mac := hmac.New(func() hash.Hash { h, _ := crypt.NewHash(name); return h }, []byte(PyStr(c.Value("shared_secret"))))
	mac.Write([]byte(PyStr(c.Value("string"))))
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(challenge)), nil
}
