package batches

import "testing"

func FuzzIndex(f *testing.F) {
	f.Add([]byte("\x91\xb420260102030405678901"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = decodeIndex(b) })
}
