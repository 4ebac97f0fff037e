package modules

import (
	"context"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/momtree/mom/internal/crypt"
)

func init() {
	val, seed := Arg{Name: "value", Required: true}, Arg{Name: "seed"}
	Register("random",
		Function{Name: "get_str", Run: randomText, Args: []Arg{
			{Name: "length", Default: int64(20)},
			{Name: "chars"},
			{Name: "lowercase", Default: true},
			{Name: "uppercase", Default: true},
			{Name: "digits", Default: true},
			{Name: "punctuation", Default: true},
			{Name: "whitespace", Default: false},
			{Name: "printable", Default: false},
		}, Doc: `
Return a random text of length characters: of chars, or of the classes lowercase, uppercase,
digits, punctuation and whitespace that are chosen; printable is all of them.

CLI Example:

    salt '*' random.get_str 128 punctuation=False
`},
		Function{Name: "rand_int", Args: []Arg{{Name: "start", Default: int64(1)}, {Name: "end", Default: int64(10)}, seed}, Run: randomInt, Doc: `
Return a random whole number from start to end. The same seed, a text or a whole number,
gives the same number, as in Salt.

CLI Example:

    salt '*' random.rand_int 1 10
`},
		Function{Name: "seed", Args: []Arg{{Name: "range", Default: int64(10)}, {Name: "hash"}}, Run: randomSeed, Doc: `
Return a number below range that is derived from hash, by default the id of the
minion.

CLI Example:

    salt '*' random.seed 60
`},
		Function{Name: "sample", Args: []Arg{val, {Name: "size", Required: true}, seed}, Run: randomSample, Doc: `
Return size random entries of the list value; the same seed gives the same ones.

CLI Example:

    salt '*' random.sample '["one", "two"]' 1 seed="something"
`},
		Function{Name: "shuffle", Args: []Arg{val, seed}, Run: randomShuffle, Doc: `
Return the list value in random order; the same seed gives the same order.

CLI Example:

    salt '*' random.shuffle '["one", "two"]' seed="something"
`},
		Function{Name: "hash", Args: []Arg{val, {Name: "algorithm", Default: "sha512"}}, Run: randomHash, Doc: `
Return the digest of the text value as hex digits, by an algorithm such as md5, sha256 or sha3_256.

CLI Example:

    salt '*' random.hash 'I am a string' md5
`},
		Function{Name: "str_encode", Args: []Arg{val, {Name: "encoder", Default: "base64"}}, Run: randomEncode, Doc: `
Encode the text value as base64, the only available encoder.

CLI Example:

    salt '*' random.str_encode 'I am a new string'
`},
	)
}

// maxRandomText is the longest text of random.get_str.
const maxRandomText = 1 << 20

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	decimals     = "0123456789"
	punctuation  = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	whitespace   = " \t\n\r\x0b\x0c"
)

func randomText(_ context.Context, c *Call) (any, error) {
	n, err := c.Int("length")
	if err != nil {
		return nil, err
	}
	if n > maxRandomText {
		return nil, InvocationErrorf("length is %d, at most %d", n, maxRandomText)
	}
	chars := c.Str("chars")
	if c.IsTrue("printable") {
		chars = decimals + lowerLetters + upperLetters + punctuation + whitespace
	}
	if chars == "" {
		for _, x := range []struct{ name, chars string }{
			{"lowercase", lowerLetters}, {"uppercase", upperLetters}, {"digits", decimals}, {"punctuation", punctuation}, {"whitespace", whitespace},
		} {
			if c.IsTrue(x.name) {
				chars += x.chars
			}
		}
	}
	of := []rune(chars)
	if len(of) == 0 && n > 0 {
		return nil, CommandErrorf("no characters are chosen")
	}
	var out strings.Builder
	for range max(n, 0) {
		out.WriteRune(of[below(system{}, uint64(len(of)))])
	}
	return out.String(), nil
}

// source returns the generator for a seed.
func source(seed any) (bitsource, error) {
	if seed == nil {
		return system{}, nil
	}
	m, ok := seeded(seed)
	if !ok {
		return nil, InvocationErrorf("seed must be a string or an integer, not %s", PyRepr(seed))
	}
	return m, nil
}

func randomInt(_ context.Context, c *Call) (any, error) {
	start, err := c.Int("start")
	if err != nil {
		return nil, err
	}
	end, err := c.Int("end")
	if err != nil {
		return nil, err
	}
	r, err := source(c.Value("seed"))
	if err != nil {
		return nil, err
	}
	width := uint64(end) - uint64(start) + 1
	if end < start || width == 0 {
		return nil, CommandErrorf("empty range for randrange() (%d, %d, %d)", start, end+1, end+1-start)
	}
	return int64(uint64(start) + below(r, width)), nil
}

func randomSeed(_ context.Context, c *Call) (any, error) {
	n, err := c.Int("range")
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, CommandErrorf("empty range for randrange()")
	}
	hash := c.Value("hash")
	if hash == nil {
		hash = c.Env.Grains().String("id")
	}
	r, err := source(hash)
	if err != nil {
		return nil, err
	}
	return int64(below(r, uint64(n))), nil
}

// shuffledList returns the list to draw from.
func shuffledList(c *Call) ([]any, error) {
	list, ok := c.Value("value").([]any)
	if !ok {
		return nil, InvocationErrorf("value must be a list, not %s", PyRepr(c.Value("value")))
	}
	return list, nil
}

// listSource returns the generator of random.sample and random.shuffle, which Salt seeds
// with the digest of a text.
func listSource(c *Call) (bitsource, error) {
	seed := c.Value("seed")
	if seed == nil {
		return system{}, nil
	}
	text, ok := seed.(string)
	if !ok {
		return nil, InvocationErrorf("seed must be a string, not %s", PyRepr(seed))
	}
	sum := sha512.Sum512([]byte(text))
	return source(hex.EncodeToString(sum[:]))
}

func randomSample(_ context.Context, c *Call) (any, error) {
	list, err := shuffledList(c)
	if err != nil {
		return nil, err
	}
	k, err := c.Int("size")
	if err != nil {
		return nil, err
	}
	if k < 0 || k > int64(len(list)) {
		return nil, CommandErrorf("Sample larger than population or is negative")
	}
	r, err := listSource(c)
	if err != nil {
		return nil, err
	}
	return sample(r, list, int(k)), nil
}

func randomShuffle(_ context.Context, c *Call) (any, error) {
	list, err := shuffledList(c)
	if err != nil {
		return nil, err
	}
	r, err := listSource(c)
	if err != nil {
		return nil, err
	}
	return sample(r, list, len(list)), nil
}

// newDigest returns an algorithm of random.hash by its name in Python's hashlib, or nil.
func newDigest(name string) hash.Hash {
	switch name {
	case "":
		return nil
	case "sha3_224":
		return sha3.New224()
	case "sha3_256":
		return sha3.New256()
	case "sha3_384":
		return sha3.New384()
	case "sha3_512":
		return sha3.New512()
	}
	h, err := crypt.NewHash(name)
	if err != nil {
		return nil
	}
	return h
}

func randomHash(_ context.Context, c *Call) (any, error) {
	sum := newDigest(c.Str("algorithm"))
	if sum == nil {
		return nil, CommandErrorf("You must specify a valid algorithm.")
	}
	sum.Write([]byte(c.Str("value")))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func randomEncode(_ context.Context, c *Call) (any, error) {
	if c.Str("encoder") != "base64" {
		return nil, InvocationErrorf("Value must be an encode-able string")
	}
	return base64.StdEncoding.EncodeToString([]byte(c.Str("value"))), nil
}
