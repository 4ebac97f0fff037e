package ownership

import (
	"slices"
	"testing"
)

// Who was seen behind a Python syndic is known, over a restart too, until it names all that it
// has, or its key is gone. It is no claim: nodes of ours report, and their word counts.
func TestSeen(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenClaims(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.See("py", false, "b", "a")
	c.See("py", false, "c", "a")
	c.See("q", false, "x")
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if c, err = OpenClaims(dir); err != nil {
		t.Fatal(err)
	}
	if got := c.Seen("py"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("seen %q", got)
	}
	if c.Has("py", "a") || len(c.Of("py")) > 0 || len(c.Of(seenKey)) > 0 {
		t.Error("who was seen is claimed")
	}
	if c.See("py", true, "c"); !slices.Equal(c.Seen("py"), []string{"c"}) {
		t.Errorf("seen %q after all were named", c.Seen("py"))
	}
	if c.Forget("py"); len(c.Seen("py")) > 0 || len(c.Seen("q")) != 1 {
		t.Errorf("seen %q and %q after the key was gone", c.Seen("py"), c.Seen("q"))
	}
}
