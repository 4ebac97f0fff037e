package ownership

import (
	"strconv"
	"testing"
)

func TestBeyond_Bound(t *testing.T) {
	b := NewBeyond()
	for i := range maxBeyond + 5 {
		b.Add("n"+strconv.Itoa(i), "x")
	}
	if b.via.Len() != maxBeyond {
		t.Errorf("%d records", b.via.Len())
	}
	b.Add("n7", "y") // it has moved
	if got := b.Without([]string{"n1", "n7", "n8", "m"}, "x"); len(got) != 3 || got[2] != "m" {
		t.Errorf("left are %v", got)
	}
}
