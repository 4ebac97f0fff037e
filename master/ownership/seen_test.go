package ownership

import (
	"slices"
	"testing"
)

// Minions seen behind a Python syndic are kept, over a restart too, until it names all it has or
// its key is deleted. They are not claims.
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
		t.Error("seen minions are claimed")
	}
	if c.See("py", true, "c"); !slices.Equal(c.Seen("py"), []string{"c"}) {
		t.Errorf("seen %q after all were named", c.Seen("py"))
	}
	if c.Forget("py"); len(c.Seen("py")) > 0 || len(c.Seen("q")) != 1 {
		t.Errorf("seen %q and %q after the key was deleted", c.Seen("py"), c.Seen("q"))
	}
}
