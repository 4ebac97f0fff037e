package jobevent

import "testing"

func TestParse(t *testing.T) {
	for tag, want := range map[string]struct {
		id   string
		kind Kind
		rest string
	}{
		job:                                   {job, KindExpectation, ""},
		"salt/job/" + job + "/new":            {job, KindNew, ""},
		"salt/job/" + job + "/missing":        {job, KindMissing, ""},
		TagComplete(job):                      {job, KindComplete, ""},
		"salt/job/" + job + "/closed":         {job, KindClosed, ""},
		TagReturn(job, "web-1"):               {job, KindReturn, "web-1"},
		"salt/job/" + job + "/ret":            {job, KindReturn, ""},
		"salt/job/" + job + "/publish":        {job, KindPublication, ""},
		"salt/job/" + job + "/ret/a/prog/b":   {job, KindReturn, "a/prog/b"},
		"salt/job/" + job + "/prog/web-1/new": {job, KindOther, "prog/web-1/new"},
		"salt/job/" + job:                     {job, KindOther, ""},
		"salt/job/x/new":                      {"x", KindNew, ""},
		"salt/job/":                           {"", KindOther, ""},
	} {
		if id, kind, rest, ok := Parse(tag); id != want.id || kind != want.kind || rest != want.rest || !ok {
			t.Errorf("%q is %q %d %q %v", tag, id, kind, rest, ok)
		}
	}
	for _, tag := range []string{"", "key", "salt/job", "salt/run/" + job + "/ret", "syndic/n1/" + job, "syndic/n1/salt/job/" + job + "/new", job[1:]} {
		if id, kind, _, ok := Parse(tag); ok {
			t.Errorf("%q is %q %d", tag, id, kind)
		}
	}
}

// The tag of each return is made once, and parsed by every subscription.
func TestTagsOfReturnsCostLittle(t *testing.T) {
	id, minion := job, "web-00001.example.com"
	var tag string
	if n := testing.AllocsPerRun(100, func() { tag = TagReturn(id, minion) }); n > 1 {
		t.Errorf("a tag is made with %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { _, _, _, _ = Parse(tag) }); n != 0 {
		t.Errorf("a tag is read with %v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	tag := TagReturn(job, "web-00001.example.com")
	b.ReportAllocs()
	for b.Loop() {
		Parse(tag)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range golden(f) {
		f.Add(s.tag)
	}
	f.Add(TagReturn(job, "a"))
	f.Fuzz(func(t *testing.T, tag string) {
		id, kind, rest, ok := Parse(tag)
		var again string
		switch {
		case !ok:
			if id != "" || kind != KindOther || rest != "" {
				t.Errorf("%q is no job's, but %q %d %q", tag, id, kind, rest)
			}
			return
		case kind == KindReturn:
			again = TagReturn(id, rest)
		case kind == KindComplete:
			again = TagComplete(id)
		default:
			return
		}
		if again != tag && again != tag+"/" {
			t.Errorf("%q became %q", tag, again)
		}
	})
}
