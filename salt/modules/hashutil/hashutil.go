package hashutil

import (
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"
	"os"
	"strings"

	"github.com/momtree/mom/salt/modules"

	"github.com/momtree/mom/internal/crypt"
)

func init() {
	text := modules.Arg{Name: "instr", Required: true}
	modules.Register("hashutil",
		modules.Function{Name: "md5_digest", Args: []modules.Arg{text}, Run: digestOf("md5"), Doc: hashDoc("Return the MD5 digest of the text instr as hex digits.", "md5_digest 'get salted'")},
		modules.Function{Name: "sha256_digest", Args: []modules.Arg{text}, Run: digestOf("sha256"), Doc: hashDoc("Return the SHA-256 digest of the text instr as hex digits.", "sha256_digest 'get salted'")},
		modules.Function{Name: "sha512_digest", Args: []modules.Arg{text}, Run: digestOf("sha512"), Doc: hashDoc("Return the SHA-512 digest of the text instr as hex digits.", "sha512_digest 'get salted'")},
		modules.Function{
			Name: "digest", Args: []modules.Arg{text, {Name: "checksum", Default: "md5"}}, Run: hashutilDigest,
			Doc: hashDoc("Return the digest of the text instr as hex digits; checksum is md5, sha256 or sha512.", "digest 'get salted' sha256"),
		},
		modules.Function{
			Name: "digest_file", Args: []modules.Arg{{Name: "infile", Required: true}, {Name: "checksum", Default: "md5"}}, Run: hashutilDigestFile,
			Doc: hashDoc("Return the digest of the file infile as hex digits; checksum is md5, sha256 or sha512.", "digest_file /etc/hosts"),
		},
		modules.Function{Name: "base64_b64encode", Args: []modules.Arg{text}, Run: base64Encode(false), Doc: hashDoc("Encode the text instr as base64, in one line.", "base64_b64encode 'get salted'")},
		modules.Function{Name: "base64_b64decode", Args: []modules.Arg{text}, Run: base64Decode, Doc: hashDoc("Decode the base64 text instr.", "base64_b64decode 'Z2V0IHNhbHRlZA=='")},
		modules.Function{Name: "base64_encodestring", Args: []modules.Arg{text}, Run: base64Encode(true), Doc: hashDoc("Encode the text instr as base64, with a line end after 76 characters and at the end.", "base64_encodestring 'get salted'")},
		modules.Function{Name: "base64_decodestring", Args: []modules.Arg{text}, Run: base64Decode, Doc: hashDoc("Decode the base64 text instr, which may have several lines.", "base64_decodestring 'Z2V0IHNhbHRlZAo='")},
		modules.Function{
			Name: "base64_encodefile", Args: []modules.Arg{{Name: "fname", Required: true}}, Run: hashutilEncodeFile,
			Doc: hashDoc("Return the file fname as base64, with a line end after 76 characters and at the end.", "base64_encodefile /etc/hosts"),
		},
		modules.Function{
			Name: "hmac_signature", Args: []modules.Arg{{Name: "string", Required: true}, {Name: "shared_secret", Required: true}, {Name: "challenge_hmac", Required: true}}, Run: hashutilSignature,
			Doc: hashDoc("Report whether challenge_hmac is the HMAC-SHA256 of string under shared_secret, in base64.", "hmac_signature 'get salted' 'shared secret' 'eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ='"),
		},
		modules.Function{
			Name: "hmac_compute", Args: []modules.Arg{{Name: "string", Required: true}, {Name: "shared_secret", Required: true}}, Run: hashutilCompute,
			Doc: hashDoc("Return the HMAC-SHA256 of string under shared_secret as hex digits.", "hmac_compute 'get salted' 'shared secret'"),
		},
		modules.Function{
			Name: "github_signature", Args: []modules.Arg{{Name: "string", Required: true}, {Name: "shared_secret", Required: true}, {Name: "challenge_hmac", Required: true}}, Run: hashutilGitHub,
			Doc: hashDoc("Report whether challenge_hmac, such as sha1=bc65…, is the HMAC of string under shared_secret.", "github_signature '{\"ref\": 1}' 'shared secret' 'sha1=bc6550fc290acf5b42283fa8deaf55cea0f8c206'"),
		},
	)
}

func hashDoc(what, example string) string {
	return "\n" + what + "\n\nCLI Example:\n\n    salt '*' hashutil." + example + "\n"
}

// checksums are the digests of hashutil.digest.
var checksums = map[string]func() hash.Hash{"md5": md5.New, "sha256": sha256.New, "sha512": sha512.New}

func digest(text []byte, checksum string) (any, error) {
	h, ok := checksums[checksum]
	if !ok {
		return nil, &modules.CommandError{Msg: "Hash func '" + checksum + "' is not supported."}
	}
	sum := h()
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digestOf(checksum string) func(context.Context, *modules.Call) (any, error) {
	return func(_ context.Context, c *modules.Call) (any, error) {
		return digest([]byte(modules.PyStr(c.Args[0])), checksum)
	}
}

func hashutilDigest(_ context.Context, c *modules.Call) (any, error) {
	return digest([]byte(modules.PyStr(c.Args[0])), modules.PyStr(c.Args[1]))
}

func hashutilDigestFile(_ context.Context, c *modules.Call) (any, error) {
	b, err := readNamed(modules.PyStr(c.Args[0]))
	if err != nil {
		return nil, err
	}
	return digest(b, modules.PyStr(c.Args[1]))
}

func readNamed(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &modules.CommandError{Msg: "File path '" + path + "' not found."}
	case err != nil:
		return nil, &modules.CommandError{Msg: err.Error()}
	}
	return b, nil
}

// base64Line is how many characters Python's base64.encodebytes puts into a line.
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

func base64Encode(lines bool) func(context.Context, *modules.Call) (any, error) {
	return func(_ context.Context, c *modules.Call) (any, error) {
		b := []byte(modules.PyStr(c.Args[0]))
		if lines {
			return encodeLines(b), nil
		}
		return base64.StdEncoding.EncodeToString(b), nil
	}
}

func hashutilEncodeFile(_ context.Context, c *modules.Call) (any, error) {
	b, err := readNamed(modules.PyStr(c.Args[0]))
	if err != nil {
		return nil, err
	}
	return encodeLines(b), nil
}

// base64Decode passes over characters that are not base64, as Python does.
func base64Decode(_ context.Context, c *modules.Call) (any, error) {
	clean := strings.Map(func(r rune) rune {
		if r < 128 && strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", r) {
			return r
		}
		return -1
	}, modules.PyStr(c.Args[0]))
	b, err := base64.StdEncoding.DecodeString(clean)
	if err != nil {
		return nil, &modules.CommandError{Msg: "decode base64: " + err.Error()}
	}
	return string(b), nil
}

func signature(c *modules.Call) []byte {
	mac := hmac.New(sha256.New, []byte(modules.PyStr(c.Value("shared_secret"))))
	mac.Write([]byte(modules.PyStr(c.Value("string"))))
	return mac.Sum(nil)
}

func hashutilCompute(_ context.Context, c *modules.Call) (any, error) {
	return hex.EncodeToString(signature(c)), nil
}

func hashutilSignature(_ context.Context, c *modules.Call) (any, error) {
	want, err := base64.StdEncoding.DecodeString(modules.PyStr(c.Value("challenge_hmac")))
	if err != nil {
		return nil, &modules.CommandError{Msg: "challenge_hmac: " + err.Error()}
	}
	return hmac.Equal(signature(c), want), nil
}

func hashutilGitHub(_ context.Context, c *modules.Call) (any, error) {
	name, challenge, _ := strings.Cut(modules.PyStr(c.Value("challenge_hmac")), "=")
	if _, err := crypt.NewHash(name); err != nil {
		return nil, &modules.CommandError{Msg: "challenge_hmac: unknown hash " + name}
	}
	mac := hmac.New(func() hash.Hash { h, _ := crypt.NewHash(name); return h }, []byte(modules.PyStr(c.Value("shared_secret"))))
	mac.Write([]byte(modules.PyStr(c.Value("string"))))
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(challenge)), nil
}
