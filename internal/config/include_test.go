package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestIncludes(t *testing.T) {
	m, w := master(t,
		"master", "timeout: 1\nsyndic_wait: 1\ninclude: [more/*.yaml, nothing/*]\n",
		"master.d/10.conf", "timeout: 2\nnodegroups: {a: x, b: y}\nsyndic_master: [p, q]\n",
		"master.d/20.conf", "timeout: 3\nnodegroups: {b: z, c: w}\nsyndic_master: [q, r]\ninclude: sub/one.txt\n",
		"master.d/sub/one.txt", "syndic_wait: 9\n",
		"master.d/ignored.txt", "timeout: 99\n",
		"more/last.yaml", "gather_job_timeout: 4\n")
	if m.Timeout != 3*time.Second || m.SyndicWait != 9*time.Second || m.GatherJobTimeout != 4*time.Second {
		t.Errorf("timeout %v syndic_wait %v gather %v", m.Timeout, m.SyndicWait, m.GatherJobTimeout)
	}
	if want := map[string]any{"a": "x", "b": "z", "c": "w"}; !cmp.Equal(m.Nodegroups, want) {
		t.Error(cmp.Diff(want, m.Nodegroups))
	}
	if want := []string{"p", "q", "r"}; !cmp.Equal(m.SyndicMaster, want) {
		t.Error(cmp.Diff(want, m.SyndicMaster))
	}
	if len(w) != 1 || w[0].Kind != Missing || !strings.Contains(w[0].Text, "nothing/* matches no file") {
		t.Errorf("warnings %v", w)
	}
}

func TestOwnDefaultInclude(t *testing.T) {
	m, _ := master(t, "master", "default_include: conf.d/*\n", "conf.d/a", "timeout: 8\n", "master.d/b.conf", "timeout: 9\n")
	if m.Timeout != 8*time.Second {
		t.Errorf("timeout %v", m.Timeout)
	}
	m, _ = master(t, "master", "default_include: ''\n", "master.d/b.conf", "timeout: 9\n")
	if m.Timeout != 5*time.Second {
		t.Errorf("timeout %v", m.Timeout)
	}
}

func TestIncludeLoop(t *testing.T) {
	_, _, err := loadMaster(files(t, "master", "include: a\n", "a", "include: b\n", "b", "include: a\n"), machine("h"))
	got := faults(t, err)
	if len(got) != 1 || !strings.Contains(got[0], "include each other") {
		t.Errorf("%q", got)
	}
}

func TestAliasesMergesAndBombs(t *testing.T) {
	m, _ := master(t, "master", "x: &a {p: q, r: s}\nnodegroups:\n  <<: *a\n  r: own\n")
	if want := map[string]any{"p": "q", "r": "own"}; !cmp.Equal(m.Nodegroups, want) {
		t.Error(cmp.Diff(want, m.Nodegroups))
	}
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		p, n := string(rune('0'+i)), string(rune('1'+i))
		bomb += "a" + n + ": &a" + n + " [" + strings.Repeat("*a"+p+",", 9) + "*a" + p + "]\n"
	}
	for name, text := range map[string]string{"bomb": bomb, "self": "a: &a [*a]\n", "deep": "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n"} {
		if _, f := parse("f", []byte(text)); len(f) == 0 {
			t.Errorf("%s: taken without a fault", name)
		}
	}
}
