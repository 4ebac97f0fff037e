package target

import "testing"

// manages is a minion with one resource.
type manages struct {
	Subject
	kind, id string
}

func (m manages) Manages(kind, id string) bool { return kind == m.kind && (id == "" || id == m.id) }

func TestResourceTargets(t *testing.T) {
	parse := func(text string) Expr {
		e, err := Parse(text, "compound", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	minion := manages{ID("s8r"), "dummy", "d-01"}
	grains := map[string]any{"role": "lamp"}
	for text, want := range map[string]struct{ minion, resource, only bool }{
		"T@dummy":                   {true, true, true},
		"T@dummy:d-01":              {true, true, true},
		"T@dummy:d-02":              {false, false, true},
		"T@ssh":                     {false, false, true},
		"T@dummy and s8r":           {true, false, false},
		"s8r or T@dummy":            {true, true, false},
		"not T@dummy":               {false, false, true},
		"T@ssh or ( T@dummy:d-01 )": {true, true, true},
		"G@role:lamp":               {false, true, false},
		"L@d-01,x":                  {false, true, false},
		"E@d-.*":                    {false, true, false},
		"*":                         {true, false, false},
	} {
		e := parse(text)
		got := struct{ minion, resource, only bool }{
			e.Match(minion), OnResource(e, "compound", Resource{"dummy", "d-01", grains}, true), OnlyResources(e),
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	e := parse("T@dummy")
	if got := e.Certain(ID("s8r")); got != Unknown || e.Match(ID("s8r")) {
		t.Errorf("of a minion of which only the id is known: %v", got)
	}
	if !Within(parse("T@dummy:d-01"), parse("T@dummy")) || Within(parse("T@dummy"), parse("T@dummy:d-01")) {
		t.Error("one resource is within its type, and not the other way round")
	}
}
