package render

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"math/big"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/salt/jinja"
)

// saltUUID is the namespace of Salt's filter uuid.
var saltUUID = uuid.MustParse("91633EBF-1C86-5E33-935A-28061F4B480E")

// newHash returns a hash by its name in Python's hashlib, or nil.
func newHash(name string) hash.Hash {
	h, err := crypt.NewHash(name)
	if name == "" || err != nil {
		return nil
	}
	return h
}

func digest(h hash.Hash, text string) string {
	_, _ = io.WriteString(h, text)
	return hex.EncodeToString(h.Sum(nil))
}

func hashFilter(name string) jinja.Filter {
	return plain(func(r *jinja.Run, v any) any {
		s := text(r, v, name)
		r.Charge(len(s))
		r.Work(4 * len(s))
		return digest(newHash(name), s)
	})
}

func hmacOf(r *jinja.Run, secret, v any) []byte {
	key, msg := text(r, secret, "hmac"), text(r, v, "hmac")
	r.Charge(len(key) + len(msg))
	r.Work(4 * (len(key) + len(msg)))
	h := hmac.New(sha256.New, []byte(key))
	_, _ = io.WriteString(h, msg)
	return h.Sum(nil)
}

func randomHash(r *jinja.Run, v any, a *jinja.Args) any {
	b := a.Bind("random_hash", 0, "hash_type")
	h := newHash(b.Str(0, "md5"))
	if h == nil {
		fail("module 'hashlib' has no attribute '%s'", b.Str(0, ""))
	}
	n, ok := jinja.ParseInt(v, 10)
	size, isInt := n.(int64)
	if !ok || !isInt || size < 0 {
		fail("random_hash: the size has to be a whole number above 0")
	}
	drawn, _ := rand.Int(rand.Reader, new(big.Int).Add(big.NewInt(size), big.NewInt(1)))
	return digest(h, drawn.String())
}

func fileHash(r *jinja.Run, v any, a *jinja.Args) any {
	form := a.Bind("file_hashsum", 0, "form chunk_size").Str(0, "sha256")
	sum := newHash(form)
	if sum == nil {
		fail("Invalid hash type: %s", form)
	}
	f, err := os.Open(text(r, v, "file_hashsum"))
	if err != nil {
		jinja.Throw(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		fail("%s is not a regular file", r.Str(v))
	}
	if _, err := io.Copy(sum, &counted{r, f}); err != nil {
		jinja.Throw(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// counted counts the bytes read of a file.
type counted struct {
	r    *jinja.Run
	from io.Reader
}

// Read implements [io.Reader].
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.r.Work(8 * n)
	return n, err
}

var _ = filters(map[string]jinja.Filter{
	"md5": hashFilter("md5"), "sha1": hashFilter("sha1"), "sha256": hashFilter("sha256"), "sha512": hashFilter("sha512"),
	"base64_encode": plain(func(r *jinja.Run, v any) any {
		s := text(r, v, "base64_encode")
		r.Scratch(4 * len(s))
		return base64.StdEncoding.EncodeToString([]byte(s))
	}),
	"base64_decode": plain(func(r *jinja.Run, v any) any {
		given := text(r, v, "base64_decode")
		r.Scratch(3 * len(given))
		r.Work(8 * len(given))
		s := strings.Map(func(c rune) rune {
			if c == '+' || c == '/' || c == '=' || c < utf8.RuneSelf && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
				return c
			}
			return -1 // Python ignores characters outside of base64
		}, given)
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			fail("Incorrect padding")
		}
		if !utf8.Valid(b) {
			return jinja.Bytes(b)
		}
		return string(b)
	}),
	"hmac": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("hmac", 2, "shared_secret challenge_hmac")
		return hmac.Equal([]byte(base64.StdEncoding.EncodeToString(hmacOf(r, b.Any(0, nil), v))), []byte(text(r, b.Any(1, nil), "hmac")))
	},
	"hmac_compute": func(r *jinja.Run, v any, a *jinja.Args) any {
		return hex.EncodeToString(hmacOf(r, a.Bind("hmac_compute", 1, "shared_secret").Any(0, nil), v))
	},
	"rand_str": randomHash, "random_hash": randomHash, "file_hashsum": fileHash,
	"uuid": plain(func(r *jinja.Run, v any) any {
		s := text(r, v, "uuid")
		r.Charge(len(s))
		r.Work(4 * len(s))
		return uuid.NewSHA1(saltUUID, []byte(s)).String()
	}),
})
