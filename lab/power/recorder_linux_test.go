package power

import (
	"os/exec"
	"testing"
	"time"
)

// Whatever a process does to files is in the record, or is a fault of it.
func TestRecorder(t *testing.T) {
	for _, c := range []struct {
		line     string
		recorded bool
	}{
		{"echo x >a; echo y >>a; echo z >b; echo w >b", true},
		{"mkdir -p d/e; echo x >d/e/a; mv d/e/a d/b; rmdir d/e; echo y >d/b", true},
		{"echo x >a; ln a b; rm a; mv b c; sync c; sync .", true},
		{"echo x >a; cd /; echo y >>$OLDPWD/a; rm $OLDPWD/a", true},
		{"printf xyz >a; dd if=/dev/zero of=a bs=1 count=1 seek=1 conv=notrunc", true},
		{"echo x >a; truncate -s 100 a; truncate -s 1 a", true},
		{"ln -s a b", false},
		{"mkfifo a", false},
		{"echo x >/dev/shm/$$; mv /dev/shm/$$ a", false},
		{"echo x >a; fallocate -l 100 a", false},
	} {
		t.Run(c.line, func(t *testing.T) {
			l := journal(t)
			r, err := NewRecorder(l, func() time.Duration { return time.Millisecond })
			if err != nil {
				t.Fatal(err)
			}
			shell, err := r.Wrap("/bin/sh")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(shell, "-ec", c.line)
			cmd.Dir = l.root
			out, runErr := cmd.CombinedOutput()
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			fault := l.Fault()
			if (fault == nil) != c.recorded {
				t.Fatalf("fault %v (%v, %s)", fault, runErr, out)
			}
			if !c.recorded {
				return
			}
			if runErr != nil {
				t.Fatalf("%v: %s", runErr, out)
			}
			d, dir := NewDisk(l), t.TempDir()
			d.Play(l.Len())
			if err := d.Lay(dir, Loss{Kind: Written}); err != nil {
				t.Fatal(err)
			}
			same(t, l.root, dir)
		})
	}
}
