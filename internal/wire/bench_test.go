package wire_test

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// sizes are numbers of states in returns of state runs; 0 is a test.ping.
var sizes = []int{0, 3, 30}

func benchLoads(b *testing.B, run func(b *testing.B, load []byte)) {
	for _, n := range sizes {
		m := stateReturn(n)
		if n == 0 {
			m.Set("return", true)
		}
		load := pack(b, m)
		b.Run(fmt.Sprintf("%dB", len(load)), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(load)))
			run(b, load)
		})
	}
}

func BenchmarkScan(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		for b.Loop() {
			if err := wire.Scan(load, wire.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParseReturn(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		for b.Loop() {
			if _, err := wire.ParseReturn(load); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncodeReturn(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		ret, err := wire.ParseReturn(load)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := ret.Encode(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		for b.Loop() {
			if _, err := wire.Decode(load); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncodeMap(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		m, err := wire.DecodeMap(load)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := wire.Encode(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkToBus(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		for b.Loop() {
			if _, err := wire.ToBus(load); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkToJSON(b *testing.B) {
	benchLoads(b, func(b *testing.B, load []byte) {
		for b.Loop() {
			if _, err := wire.ToJSON(load); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParseEnvelope(b *testing.B) {
	env := pack(b, wire.NewMap("enc", "aes", "load", make([]byte, 700), "version", 3, "id", "web01", "enc_algo", "OAEP-SHA1", "sig_algo", "PKCS1v15-SHA1"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.ParseEnvelope(env); err != nil {
			b.Fatal(err)
		}
	}
}
