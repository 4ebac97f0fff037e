package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strings"
	"sync"
)

// Sizes of a Crypticle key and frame in bytes (Salt wire reference §7).
const (
	aesKeySize  = 24
	hmacKeySize = 32
	keySize     = aesKeySize + hmacKeySize
	macSize     = sha256.Size

	// KeyStringSize is the length of a key string: base64 of 56 bytes.
	KeyStringSize = 76
)

// mark precedes every payload. It is a relic: nothing is pickled.
const mark = "pickle::"

// Sentinels of Crypticle.
var (
	ErrAuth  = errors.New("message authentication failed")
	ErrMark  = errors.New("decrypted message lacks its mark")
	ErrNonce = errors.New("reply answers another request: nonce differs")
	ErrKey   = errors.New("not a crypticle key")
)

// Crypticle seals and opens the frames of encrypted loads: IV, AES-192-CBC ciphertext,
// HMAC-SHA256 over both. It is safe for concurrent use; both ciphers are set up once per key.
type Crypticle struct {
	block cipher.Block
	macs  sync.Pool // of hash.Hash keyed with the HMAC key
	key   string
}

// NewKeyString returns a fresh key of 56 random bytes, in the one-line base64 form in which
// keys are stored and sent.
func NewKeyString() string {
	b := make([]byte, keySize)
	rand.Read(b) // never fails: the runtime ends the process instead
	return base64.StdEncoding.EncodeToString(b)
}

// ParseKey returns the Crypticle of a key string. It ignores white space inside and around it.
// For anything but base64 of 56 bytes it returns [ErrKey]; the error never contains the text,
// which is a secret.
func ParseKey(s string) (*Crypticle, error) {
	s = strings.Join(strings.Fields(s), "")
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("%w: text is not base64", ErrKey)
	}
	if len(b) != keySize {
		return nil, fmt.Errorf("%w: %d bytes, need %d", ErrKey, len(b), keySize)
	}
	block, err := aes.NewCipher(b[:aesKeySize])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	c := &Crypticle{block: block, key: s}
	macKey := b[aesKeySize:]
	c.macs.New = func() any { return hmac.New(sha256.New, macKey) }
	return c, nil
}

// Key returns the key string, to be sent to a peer encrypted under its public key.
func (c *Crypticle) Key() string { return c.key }

// Seal encrypts payload into a frame. nonce precedes the payload in a reply to a peer of
// version 2 or higher; empty means none.
func (c *Crypticle) Seal(nonce string, payload []byte) ([]byte, error) {
	return c.SealParts(nil, nonce, payload), nil
}

// SealParts is [Crypticle.Seal] for a payload in several parts, and allocates once. head, which
// may be nil, returns the bytes that precede a frame of n bytes.
func (c *Crypticle) SealParts(head func(n int) []byte, nonce string, parts ...[]byte) []byte {
	plain := len(mark) + len(nonce)
	for _, p := range parts {
		plain += len(p)
	}
	sealed := aes.BlockSize + plain + aes.BlockSize - plain%aes.BlockSize
	var front []byte
	if head != nil {
		front = head(sealed + macSize)
	}
	whole := make([]byte, len(front)+aes.BlockSize, len(front)+sealed+macSize)
	copy(whole, front)
	out := whole[len(front):]
	rand.Read(out) // the IV; never fails
	out = append(out, mark...)
	out = append(out, nonce...)
	for _, p := range parts {
		out = append(out, p...)
	}
	for n := sealed - len(out); len(out) < sealed; {
		out = append(out, byte(n))
	}
	body := out[aes.BlockSize:]
	cipher.NewCBCEncrypter(c.block, out[:aes.BlockSize]).CryptBlocks(body, body)
	c.appendMAC(out, out)
	return whole[:cap(whole)]
}

func (c *Crypticle) appendMAC(dst, data []byte) []byte {
	h := c.macs.Get().(hash.Hash)
	h.Reset()
	h.Write(data)
	dst = h.Sum(dst)
	c.macs.Put(h)
	return dst
}

// Open authenticates and decrypts a frame without a nonce. For a frame of another key, or one
// that was cut or changed, it returns [ErrAuth] and decrypts nothing. For a message without
// Salt's mark it returns [ErrMark]; Salt reads such a message as an empty map. The result does
// not alias frame.
func (c *Crypticle) Open(frame []byte) ([]byte, error) {
	return c.open(frame, func(n int) []byte { return make([]byte, n) })
}

// OpenInPlace is [Crypticle.Open] for a frame that the caller no longer needs: the result
// overwrites it.
func (c *Crypticle) OpenInPlace(frame []byte) ([]byte, error) {
	return c.open(frame, func(n int) []byte { return frame[aes.BlockSize:][:n] })
}

// open decrypts into the buffer that room returns: a new one, or that of the ciphertext.
func (c *Crypticle) open(frame []byte, room func(n int) []byte) ([]byte, error) {
	sealed := len(frame) - macSize
	if sealed < 2*aes.BlockSize || sealed%aes.BlockSize != 0 {
		return nil, fmt.Errorf("%w: %d bytes are no frame", ErrAuth, len(frame))
	}
	var sum [macSize]byte
	//mutant:cve2024-38823-altered
	if !hmac.Equal(c.appendMAC(sum[:0], frame[:sealed]), frame[sealed:]) {
		return nil, ErrAuth
	}
	plain := room(sealed - aes.BlockSize)
	cipher.NewCBCDecrypter(c.block, frame[:aes.BlockSize]).CryptBlocks(plain, frame[aes.BlockSize:sealed])
	plain, ok := unpad(plain)
	if !ok {
		return nil, fmt.Errorf("%w: wrong padding", ErrAuth)
	}
	if len(plain) < len(mark) || string(plain[:len(mark)]) != mark {
		return nil, ErrMark
	}
	return plain[len(mark):], nil
}

// OpenNonce is [Crypticle.Open] for a reply that must begin with the nonce of its request.
// Otherwise it returns [ErrNonce].
func (c *Crypticle) OpenNonce(frame []byte, nonce string) ([]byte, error) {
	payload, err := c.Open(frame)
	if err != nil {
		return nil, err
	}
	if len(payload) < len(nonce) || subtle.ConstantTimeCompare(payload[:len(nonce)], []byte(nonce)) != 1 {
		return nil, ErrNonce
	}
	return payload[len(nonce):], nil
}
