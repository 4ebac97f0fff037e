package output

import (
	"encoding/json"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/wire"
)

// FuzzText prints arbitrary values with every outputter; the output of JSON and YAML must be
// readable.
func FuzzText(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\ny",null,{"b":[]}]}`, `["- x","a: b","'",""," ","\u2028","\u0000"]`, `{"? ":{"\n":1.5}}`, `"yes"`, `[[["a"]],{"k":{}}]`, `{"a":"` + "\x7f" + `"}`} {
		f.Add([]byte(s), -1)
		f.Add([]byte(s), 4)
	}
	f.Fuzz(func(t *testing.T, data []byte, indent int) {
		raw, err := wire.FromJSON(data)
		if err != nil {
			return
		}
		v, err := wire.Decode(raw)
		if err != nil {
			return
		}
		o := Options{Indent: ptr(indent % 12)}
		for _, name := range Names() {
			text, err := Text(name, v, o)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			var back any
			switch name {
			case "json":
				if !json.Valid([]byte(text)) && !notJSON(v) {
					t.Errorf("no JSON: %s", text)
				}
			case "yaml":
				if err := yaml.Unmarshal([]byte(text), &back); err != nil && !odd(text) {
					t.Errorf("no YAML: %v\n%q", err, text)
				}
			}
		}
	})
}

// notJSON reports whether Python, too, prints what strict readers refuse.
func notJSON(v any) bool {
	text, _ := Text("raw", v, Options{})
	for _, word := range []string{"nan", "inf"} {
		for i := 0; i+len(word) <= len(text); i++ {
			if text[i:i+len(word)] == word {
				return true
			}
		}
	}
	return false
}

// odd reports whether the text has something that this reader reads differently from the
// writer's intent (line ends of Unicode, duplicate keys after reading).
func odd(text string) bool {
	for _, r := range text {
		if r == '\u2028' || r == '\u2029' || r == '?' || r == '!' {
			return true
		}
	}
	return false
}
