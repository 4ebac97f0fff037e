package random

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/momtree/mom/salt/modules"
)

func init() {
	val, seed := modules.Arg{Name: "value", Required: true}, modules.Arg{Name: "seed"}
	modules.Register("random",
		modules.Function{Name: "get_str", Run: randomText, Args: []modules.Arg{
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
		modules.Function{Name: "rand_int", Args: []modules.Arg{{Name: "start", Default: int64(1)}, {Name: "end", Default: int64(10)}, seed}, Run: randomInt, Doc: `
Return a random whole number from start to end. The same seed, a text or a whole number,
gives the same number, as in Salt.

CLI Example:

    salt '*' random.rand_int 1 10
`},
		modules.Function{Name: "seed", Args: []modules.Arg{{Name: "range", Default: int64(10)}, {Name: "hash"}}, Run: randomSeed, Doc: `
Return a number below range that is derived from hash, by default the id of the
minion.

CLI Example:

    salt '*' random.seed 60
`},
		modules.Function{Name: "sample", Args: []modules.Arg{val, {Name: "size", Required: true}, seed}, Run: randomSample, Doc: `
Return size random entries of the list value; the same seed gives the same ones.

CLI Example:

    salt '*' random.sample '["one", "two"]' 1 seed="something"
`},
		modules.Function{Name: "shuffle", Args: []modules.Arg{val, seed}, Run: randomShuffle, Doc: `
Return the list value in random order; the same seed gives the same order.

CLI Example:

    salt '*' random.shuffle '["one", "two"]' seed="something"
`},
		modules.Function{Name: "hash", Args: []modules.Arg{val, {Name: "algorithm", Default: "sha512"}}, Run: randomHash, Doc: `
Return the digest of the text value as hex digits, by an algorithm such as md5, sha256 or sha3_256.

CLI Example:

    salt '*' random.hash 'I am a string' md5
`},
		modules.Function{Name: "str_encode", Args: []modules.Arg{val, {Name: "encoder", Default: "base64"}}, Run: randomEncode, Doc: `
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

func randomText(_ context.Context, c *modules.Call) (any, error) {
	n, err := c.Int("length")
	if err != nil {
		return nil, err
	}
	if n > maxRandomText {
		return nil, modules.InvocationErrorf("length is %d, at most %d", n, maxRandomText)
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
		return nil, modules.CommandErrorf("no characters are chosen")
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
		return nil, modules.InvocationErrorf("seed must be a string or an integer, not %s", modules.PyRepr(seed))
	}
	return m, nil
}

func randomInt(_ context.Context, c *modules.Call) (any, error) {
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
		return nil, modules.CommandErrorf("empty range for randrange() (%d, %d, %d)", start, end+1, end+1-start)
	}
	return int64(uint64(start) + below(r, width)), nil
}

func randomSeed(_ context.Context, c *modules.Call) (any, error) {
	n, err := c.Int("range")
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, modules.CommandErrorf("empty range for randrange()")
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

// listArg returns the list to draw from.
func listArg(c *modules.Call) ([]any, error) {
	list, ok := c.Value("value").([]any)
	if !ok {
		return nil, modules.InvocationErrorf("value must be a list, not %s", modules.PyRepr(c.Value("value")))
	}
	return list, nil
}

// listSource returns the generator of random.sample and random.shuffle, which Salt seeds
// with the digest of a text.
func listSource(c *modules.Call) (bitsource, error) {
	seed := c.Value("seed")
	if seed == nil {
		return system{}, nil
	}
	text, ok := seed.(string)
	if !ok {
		return nil, modules.InvocationErrorf("seed must be a string, not %s", modules.PyRepr(seed))
	}
	sum := sha512.Sum512([]byte(text))
	return source(hex.EncodeToString(sum[:]))
}

func randomSample(_ context.Context, c *modules.Call) (any, error) {
	list, err := listArg(c)
	if err != nil {
		return nil, err
	}
	k, err := c.Int("size")
	if err != nil {
		return nil, err
	}
	if k < 0 || k > int64(len(list)) {
		return nil, modules.CommandErrorf("Sample larger than population or is negative")
	}
	r, err := listSource(c)
	if err != nil {
		return nil, err
	}
	return sample(r, list, int(k)), nil
}

func randomShuffle(_ context.Context, c *modules.Call) (any, error) {
	list, err := listArg(c)
	if err != nil {
		return nil, err
	}
	r, err := listSource(c)
	if err != nil {
		return nil, err
	}
	return sample(r, list, len(list)), nil
}

// digests are the algorithms of random.hash, by their names in Python's hashlib.
var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
	"sha3_224": func() hash.Hash { return sha3.New224() }, "sha3_256": func() hash.Hash { return sha3.New256() },
	"sha3_384": func() hash.Hash { return sha3.New384() }, "sha3_512": func() hash.Hash { return sha3.New512() },
}

func randomHash(_ context.Context, c *modules.Call) (any, error) {
	h, ok := digests[c.Str("algorithm")]
	if !ok {
		return nil, modules.CommandErrorf("You must specify a valid algorithm.")
	}
	sum := h()
	sum.Write([]byte(c.Str("value")))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func randomEncode(_ context.Context, c *modules.Call) (any, error) {
	if c.Str("encoder") != "base64" {
		return nil, modules.InvocationErrorf("Value must be an encode-able string")
	}
	return base64.StdEncoding.EncodeToString([]byte(c.Str("value"))), nil
}
