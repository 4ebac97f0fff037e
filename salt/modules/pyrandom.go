package modules

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// bitsource returns random bits, at most 32 at once.
type bitsource interface{ getrandbits(k int) uint32 }

// mersenne is Python's random number generator: the same seed gives the same numbers as in
// Salt.
type mersenne struct {
	state [624]uint32
	at    int
}

// seeded is Python's random.Random(seed) for an integer or a string.
func seeded(seed any) (*mersenne, bool) {
	n := new(big.Int)
	switch v := seed.(type) {
	case string:
		sum := sha512.Sum512([]byte(v))
		n.SetBytes(append([]byte(v), sum[:]...))
	case bool:
		if v {
			n.SetInt64(1)
		}
	case *big.Int:
		n.Abs(v)
	default:
		i, ok := Integer(seed)
		if !ok {
			return nil, false
		}
		n.Abs(n.SetInt64(i))
	}
	b := n.Bytes()
	for len(b)%4 != 0 || len(b) == 0 {
		b = append([]byte{0}, b...)
	}
	key := make([]uint32, 0, len(b)/4)
	for i := len(b); i > 0; i -= 4 {
		key = append(key, binary.BigEndian.Uint32(b[i-4:i]))
	}
	m := &mersenne{}
	m.init(key)
	return m, true
}

func (m *mersenne) init(key []uint32) {
	s := &m.state
	s[0] = 19650218
	for i := uint32(1); i < 624; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + i
	}
	i, j := 1, 0
	wrap := func() {
		if i++; i >= 624 {
			s[0], i = s[623], 1
		}
	}
	for range max(624, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		wrap()
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range 623 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		wrap()
	}
	s[0], m.at = 0x80000000, 624
}

func (m *mersenne) next() uint32 {
	if m.at >= 624 {
		for i := range 624 {
			y := m.state[i]&0x80000000 | m.state[(i+1)%624]&0x7fffffff
			m.state[i] = m.state[(i+397)%624] ^ y>>1 ^ y&1*0x9908b0df
		}
		m.at = 0
	}
	y := m.state[m.at]
	m.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) getrandbits(k int) uint32 { return m.next() >> (32 - k) }

// system is the random source of the system.
type system struct{}

func (system) getrandbits(k int) uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint32(b[:]) >> (32 - k)
}

// below returns a number from 0 to n-1, drawn as in Python; n must be positive.
func below(r bitsource, n uint64) uint64 {
	k := bits.Len64(n)
	for {
		v := uint64(r.getrandbits(min(k, 32)))
		if k > 32 { // the low words come first
			v |= uint64(r.getrandbits(k-32)) << 32
		}
		if v < n {
			return v
		}
	}
}

// sample is Python's random.sample.
func sample(r bitsource, list []any, k int) []any {
	n := len(list)
	out := make([]any, k)
	size := 21
	if k > 5 {
		size += int(math.Pow(4, math.Ceil(math.Log(float64(k*3))/math.Log(4))))
	}
	if n <= size {
		pool := append([]any{}, list...)
		for i := range k {
			j := int(below(r, uint64(n-i)))
			out[i] = pool[j]
			pool[j] = pool[n-i-1]
		}
		return out
	}
	seen := map[uint64]bool{}
	for i := range k {
		j := below(r, uint64(n))
		for seen[j] {
			j = below(r, uint64(n))
		}
		seen[j] = true
		out[i] = list[j]
	}
	return out
}
