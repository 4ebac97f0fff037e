package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Token authenticates a user until it expires.
type Token struct {
	// Token is the text that its owner sends, and the name of its file: hex digits.
	Token       string
	Name, Eauth string
	Start       time.Time
	Expire      time.Time
	// AuthList are the rules of the owner, stored with keep_acl_in_token only.
	AuthList []any
	Groups   []string
}

// String omits the token itself.
func (t Token) String() string { return "a token of " + t.Name + " by " + t.Eauth }

// GoString omits the token itself.
func (t Token) GoString() string { return t.String() }

// LogValue omits the token itself.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(slog.String("user", t.Name), slog.String("eauth", t.Eauth), slog.Time("expire", t.Expire))
}

const (
	// maxToken bounds a token file, in bytes; most of it are the rules of the user.
	maxToken = 1 << 20
	// maxTokenNodes bounds the values in it.
	maxTokenNodes = 1 << 16
	// randomBytes is the number of random bytes from which the name of a token is hashed.
	randomBytes = 512
)

// newID returns the name of a new token: a hash, by hash_type, of random bytes.
func newID(hash string) (string, error) {
	h, err := crypt.NewHash(hash)
	if err != nil {
		return "", err
	}
	b := make([]byte, randomBytes)
	_, _ = rand.Read(b) // never fails
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// idLengths are the lengths, in hex digits, of the hashes of hash_type.
var idLengths = []int{32, 40, 56, 64, 96, 128}

// isID reports whether a text has the form of a token. Only such texts are used in paths.
func isID(id string) bool {
	if !slices.Contains(idLengths, len(id)) {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// encode encodes a token like Salt.
func (t Token) encode() ([]byte, error) {
	m := wire.NewMap("start", seconds(t.Start), "expire", seconds(t.Expire), "name", t.Name, "eauth", t.Eauth)
	if t.AuthList != nil {
		m.Set("auth_list", wire.Normal(t.AuthList))
	}
	if len(t.Groups) > 0 {
		m.Set("groups", wire.AnyList(t.Groups))
	}
	m.Set("token", t.Token)
	b, err := wire.Encode(m)
	if err == nil && len(b) > maxToken {
		return nil, fmt.Errorf("its rules and groups take %d bytes, more than %d", len(b), maxToken)
	}
	return b, err
}

// wrapped encodes a token like Salt 3008: {data: token, _expires: seconds}.
func (t Token) wrapped() ([]byte, error) {
	b, err := t.encode()
	if err != nil {
		return nil, err
	}
	return wire.Encode(wire.NewMap("data", wire.Raw(b), "_expires", t.Expire.Unix()))
}

// decodeWrapped decodes a token of Salt 3008. It expires at the earlier of its two times.
func decodeWrapped(id string, b []byte) (Token, error) {
	if err := wire.Scan(b, wire.Limits{MaxBytes: maxToken, MaxDepth: wire.ValueDepth, MaxNodes: maxTokenNodes}); err != nil {
		return Token{}, err
	}
	inner, err := wire.Field(b, "data")
	if err != nil {
		return Token{}, err
	}
	t, err := decodeToken(id, inner)
	if err != nil {
		return Token{}, err
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		return Token{}, err
	}
	if at, has := moment(m, "_expires"); has && at.Before(t.Expire) {
		t.Expire = at
	}
	return t, nil
}

// decodeToken decodes a token file. It returns an error if the user, the login service or the expiry is
// missing.
func decodeToken(id string, b []byte) (Token, error) {
	if err := wire.Scan(b, wire.Limits{MaxBytes: maxToken, MaxDepth: wire.ValueDepth, MaxNodes: maxTokenNodes}); err != nil {
		return Token{}, err
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		return Token{}, err
	}
	t := Token{Token: m.String("token"), Name: m.String("name"), Eauth: m.String("eauth")}
	if subtle.ConstantTimeCompare([]byte(t.Token), []byte(id)) != 1 {
		return Token{}, errors.New("the file contains another token than its name")
	}
	if t.Name == "" || t.Eauth == "" {
		return Token{}, errors.New("no user or login service in the token")
	}
	var has bool
	if t.Expire, has = moment(m, "expire"); !has {
		return Token{}, errors.New("no expiry in the token")
	}
	if t.Start, has = moment(m, "start"); !has {
		return Token{}, errors.New("no start time in the token")
	}
	t.AuthList = m.List("auth_list")
	if groups := m.List("groups"); len(groups) > 0 {
		if t.Groups = wire.Texts(groups); len(t.Groups) < len(groups) {
			return Token{}, errors.New("a group in the token is not a string")
		}
	}
	return t, nil
}

// seconds converts a time like Python, to microseconds.
func seconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// moment reads a time in seconds.
func moment(m *wire.Map, key string) (time.Time, bool) {
	v, _ := m.Get(key)
	var f float64
	switch x := v.(type) {
	case float64:
		f = x
	case int64:
		f = float64(x)
	default:
		return time.Time{}, false
	}
	if !(math.Abs(f) < 1<<33) { // not a number, or out of what nanoseconds reach
		return time.Time{}, false
	}
	whole, part := math.Modf(f)
	return time.Unix(int64(whole), int64(part*1e9)).Round(time.Microsecond), true
}
