package auth

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	unixcrypt "github.com/GehirnInc/crypt"
	_ "github.com/GehirnInc/crypt/apr1_crypt"   // $apr1$
	_ "github.com/GehirnInc/crypt/md5_crypt"    // $1$
	_ "github.com/GehirnInc/crypt/sha256_crypt" // $5$
	_ "github.com/GehirnInc/crypt/sha512_crypt" // $6$
	"golang.org/x/crypto/bcrypt"

	"github.com/momtree/mom/internal/crypt"
)

// verifier checks a password from a file.
type verifier interface {
	matches(name, password string) bool
}

// Bounds of the cost of a hash, which cannot be interrupted: about a second.
const (
	maxBcryptCost = 14
	maxRounds     = 1_000_000
)

// htpasswdHash parses the password field of an htpasswd file, as Apache and passlib write it: bcrypt, SHA
// crypt, MD5 crypt, {SHA}, {SSHA}, or the password itself.
func htpasswdHash(text string) (verifier, error) {
	switch {
	case text == "":
		return nil, errors.New("the password is empty")
	case bcryptForm.MatchString(text):
		hash := []byte("$2a$" + text[4:]) // 2b and 2y are names for the same
		if cost, err := bcrypt.Cost(hash); err != nil || cost > maxBcryptCost {
			return nil, fmt.Errorf("the bcrypt cost is invalid or above %d", maxBcryptCost)
		}
		return bcryptHash(hash), nil
	case unixcrypt.IsHashSupported(text):
		return newCryptHash(text)
	case strings.HasPrefix(text, "{SHA}"), strings.HasPrefix(text, "{SSHA}"):
		scheme, code, _ := strings.Cut(text, "}")
		b, err := base64.StdEncoding.DecodeString(code)
		if err != nil || len(b) < sha1.Size || scheme == "{SHA" && len(b) != sha1.Size {
			return nil, errors.New("the hash is not SHA-1 in base64")
		}
		return shaHash{sum: b[:sha1.Size], salt: b[sha1.Size:]}, nil
	case text[0] == '$', text[0] == '{', text[0] == '_', text[0] == '!', text[0] == '*', desForm.MatchString(text):
		return nil, errNoHash
	}
	return newPlain(text), nil
}

var (
	bcryptForm = regexp.MustCompile(`^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$`)
	// desForm matches a DES hash, or a password that looks like one.
	desForm    = regexp.MustCompile(`^[./0-9A-Za-z]{13}$`)
	cryptForm  = regexp.MustCompile(`^\$(apr1|1)\$[^$]{0,8}\$[./0-9A-Za-z]{22}$|^\$5\$(rounds=[0-9]{1,9}\$)?[^$]{0,16}\$[./0-9A-Za-z]{43}$|^\$6\$(rounds=[0-9]{1,9}\$)?[^$]{0,16}\$[./0-9A-Za-z]{86}$`)
	roundsForm = regexp.MustCompile(`^\$[56]\$rounds=([0-9]{1,9})\$`)
)

type bcryptHash []byte

func (h bcryptHash) matches(_, password string) bool {
	return bcrypt.CompareHashAndPassword(h, []byte(password)) == nil
}

// cryptHash is a hash of crypt(3) with its salt.
type cryptHash struct{ hash, salt string }

func newCryptHash(text string) (verifier, error) {
	if !cryptForm.MatchString(text) {
		return nil, errors.New("the hash is not in the form of crypt")
	}
	if m := roundsForm.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err != nil || n > maxRounds {
			return nil, fmt.Errorf("the hash has more than %d rounds", maxRounds)
		}
	}
	return cryptHash{hash: text, salt: text[:strings.LastIndexByte(text, '$')]}, nil
}

func (h cryptHash) of(password string) (string, error) {
	return unixcrypt.NewFromHash(h.hash).Generate([]byte(password), []byte(h.salt))
}

func (h cryptHash) matches(_, password string) bool {
	got, err := h.of(password)
	return err == nil && subtle.ConstantTimeCompare([]byte(got), []byte(h.hash)) == 1
}

// shaHash is the SHA-1 of a password followed by a salt.
type shaHash struct{ sum, salt []byte }

func (h shaHash) matches(_, password string) bool {
	sum := sha1.Sum(append([]byte(password), h.salt...))
	return subtle.ConstantTimeCompare(sum[:], h.sum) == 1
}

// plain is the hash of a plaintext password, so that texts of any length compare in constant time.
type plain [sha256.Size]byte

func newPlain(password string) plain { return sha256.Sum256([]byte(password)) }

func (p plain) matches(_, password string) bool {
	sum := sha256.Sum256([]byte(password))
	return subtle.ConstantTimeCompare(p[:], sum[:]) == 1
}

// hexHash is the hash, in hex digits, of the result of of.
type hexHash struct {
	kind string
	sum  []byte
	of   func(name, password string) string
}

func newHexHash(kind, text string, of func(name, password string) string) (verifier, error) {
	h, err := crypt.NewHash(kind)
	if err != nil {
		return nil, err
	}
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != h.Size() {
		return nil, fmt.Errorf("the hash is not %s in hex digits", kind)
	}
	return hexHash{kind, sum, of}, nil
}

func (h hexHash) matches(name, password string) bool {
	got, err := crypt.NewHash(h.kind)
	if err != nil {
		return false
	}
	got.Write([]byte(h.of(name, password)))
	return subtle.ConstantTimeCompare(got.Sum(nil), h.sum) == 1
}
