package api

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
)

// form is how an answer is encoded.
type form int

const (
	asJSON form = iota
	asYAML
	asExact // JSON without loss: it has a form for bytes, for keys that are not texts, and for NaN
)

var formTypes = map[form]string{asJSON: "application/json", asYAML: "application/x-yaml", asExact: exactType}

// exactType is requested by remote commands and by gateways, whose results have to equal those of
// the master itself.
const exactType = "application/vnd.mom+json"

// formOf returns the supported media type with the highest weight in the header Accept.
func formOf(r *http.Request) (form, error) {
	all := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(all) == "" {
		return asJSON, nil
	}
	best, weight := asJSON, 0.0
	for part := range strings.SplitSeq(all, ",") {
		kind, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		q := 1.0
		if s, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(s, 64); err != nil || q < 0 || q > 1 {
				continue
			}
		}
		var f form
		switch kind {
		case "*/*", "application/*", "application/json":
			f = asJSON
		case exactType:
			f = asExact
		case "application/x-yaml", "application/yaml", "text/yaml":
			f = asYAML
		default:
			continue
		}
		if q > weight {
			best, weight = f, q
		}
	}
	if weight > 0 {
		return best, nil
	}
	if len(all) > 100 {
		all = all[:100] + "…"
	}
	return asJSON, Refuse(http.StatusNotAcceptable, fmt.Sprintf(
		"Your client sent this Accept header: %s. But this resource only emits these media types: application/json, application/x-yaml.", all))
}

// encode encodes a value as Salt's servers do: JSON on one line with ", " and ": ", YAML in blocks
// with sorted keys.
func encode(f form, v any) ([]byte, error) {
	if f == asExact {
		raw, err := client.RawOf(v)
		if err != nil {
			return nil, err
		}
		return raw.MarshalJSON()
	}
	name, o := "json", output.Options{Indent: new(int)}
	*o.Indent = -1
	if f == asYAML {
		name, o = "yaml", output.Options{}
	}
	text, err := output.Text(name, v, o)
	if err != nil {
		return nil, err
	}
	if f == asYAML {
		text += "\n"
	}
	return []byte(text), nil
}
