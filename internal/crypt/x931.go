package crypt

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"math/big"
)

// ErrX931 is returned when bytes are not an X9.31 block under the given key.
var ErrX931 = errors.New("not an x9.31 block")

// The bytes of an X9.31 block: HEAD BB..BB BA data TAIL, or FULL data TAIL if the data leaves
// no room for padding.
const (
	x931Head = 0x6B
	x931Full = 0x6A
	x931Pad  = 0xBB
	x931Last = 0xBA
	x931Tail = 0xCC
)

var one = big.NewInt(1)

// X931Sign is Salt's "private encrypt": raw RSA over an X9.31 block that holds
// data itself, neither hashed nor marked with a hash (Salt wire reference
// §5.1). Of the two possible results the smaller is returned, so the outcome is
// the same for every signer. data may be as long as the modulus less two bytes.
//
// crypto/rsa offers no raw private operation, so this is big.Int arithmetic:
// the input is blinded with a fresh random factor, since big.Int takes time
// that depends on its operands, and the result is checked against the public
// key, so that a fault in the arithmetic never leaves the machine.
func X931Sign(priv *rsa.PrivateKey, data []byte) ([]byte, error) {
	block, err := x931Block(priv.Size(), data)
	if err != nil {
		return nil, err
	}
	m := new(big.Int).SetBytes(block)
	if m.Cmp(priv.N) >= 0 {
		return nil, fmt.Errorf("x9.31 sign: modulus of %d bits is smaller than the block", priv.N.BitLen())
	}
	s, err := privateOp(priv, m)
	if err != nil {
		return nil, fmt.Errorf("x9.31 sign: %w", err)
	}
	if c := new(big.Int).Sub(priv.N, s); c.Cmp(s) < 0 {
		s = c
	}
	return s.FillBytes(make([]byte, priv.Size())), nil
}

func x931Block(size int, data []byte) ([]byte, error) {
	pad := size - len(data) - 2
	if pad < 0 {
		return nil, fmt.Errorf("x9.31 sign: %d bytes of data do not fit a key of %d bytes, at most %d do", len(data), size, max(size-2, 0))
	}
	b := make([]byte, size)
	b[0] = x931Full
	if pad > 0 {
		b[0] = x931Head
		for i := 1; i < pad; i++ {
			b[i] = x931Pad
		}
		b[pad] = x931Last
	}
	copy(b[pad+1:], data)
	b[size-1] = x931Tail
	return b, nil
}

// privateOp is m^d mod n with blinding, by the Chinese remainder theorem where
// the key has its two primes.
func privateOp(priv *rsa.PrivateKey, m *big.Int) (*big.Int, error) {
	n, e := priv.N, big.NewInt(int64(priv.E))
	inv := new(big.Int)
	var r *big.Int
	for {
		var err error
		if r, err = rand.Int(rand.Reader, n); err != nil {
			return nil, fmt.Errorf("draw blinding factor: %w", err)
		}
		if r.Sign() > 0 && inv.ModInverse(r, n) != nil {
			break
		}
	}
	blinded := new(big.Int).Exp(r, e, n)
	blinded.Mul(blinded, m).Mod(blinded, n)

	s := new(big.Int)
	if len(priv.Primes) == 2 {
		p, q := priv.Primes[0], priv.Primes[1]
		dp := new(big.Int).Mod(priv.D, new(big.Int).Sub(p, one))
		dq := new(big.Int).Mod(priv.D, new(big.Int).Sub(q, one))
		s.Exp(blinded, dp, p)
		s2 := new(big.Int).Exp(blinded, dq, q)
		qinv := new(big.Int).ModInverse(q, p)
		if qinv == nil {
			return nil, errors.New("key has two equal primes")
		}
		s.Sub(s, s2).Mul(s, qinv).Mod(s, p).Mul(s, q).Add(s, s2)
	} else {
		s.Exp(blinded, priv.D, n)
	}
	s.Mul(s, inv).Mod(s, n)
	if new(big.Int).Exp(s, e, n).Cmp(m) != 0 {
		return nil, errors.New("result fails its own check, the key is damaged")
	}
	return s, nil
}

// X931Open recovers the data put into sig by [X931Sign]. Bytes that were not
// made with the private half of pub give [ErrX931].
func X931Open(pub *rsa.PublicKey, sig []byte) ([]byte, error) {
	size := pub.Size()
	if len(sig) != size {
		return nil, fmt.Errorf("%w: %d bytes where the key has %d", ErrX931, len(sig), size)
	}
	s := new(big.Int).SetBytes(sig)
	if s.Cmp(pub.N) >= 0 {
		return nil, fmt.Errorf("%w: value is not below the modulus", ErrX931)
	}
	m := s.Exp(s, big.NewInt(int64(pub.E)), pub.N)
	if len(m.Bits()) == 0 || uint(m.Bits()[0])&0xF != x931Tail&0xF {
		m.Sub(pub.N, m)
	}
	return x931Data(m.FillBytes(make([]byte, size)))
}

func x931Data(b []byte) ([]byte, error) {
	if len(b) < 2 || b[len(b)-1] != x931Tail {
		return nil, fmt.Errorf("%w: wrong tail", ErrX931)
	}
	body := b[1 : len(b)-1]
	switch b[0] {
	case x931Full:
		return body, nil
	case x931Head:
		for i, c := range body {
			if c == x931Last {
				return body[i+1:], nil
			}
			if c != x931Pad {
				break
			}
		}
		return nil, fmt.Errorf("%w: wrong padding", ErrX931)
	}
	return nil, fmt.Errorf("%w: wrong head", ErrX931)
}
