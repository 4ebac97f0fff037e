package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// docHandler serves /openapi.json.
type docHandler struct{ doc []byte }

func (h *docHandler) show(c *call) error {
	c.w.Header().Set("Content-Type", "application/json")
	c.write(http.StatusOK, h.doc)
	return nil
}

// describe makes the OpenAPI document of a table.
func describe(table []route, o Options) ([]byte, error) {
	paths := value.NewMap()
	for i := range table {
		rt := &table[i]
		if !rt.enabled(o) {
			continue
		}
		p := docPath(rt.pattern(o))
		ops := paths.Map(p)
		if ops == nil {
			ops = value.NewMap()
			paths.Set(p, ops)
		}
		ops.Set(strings.ToLower(rt.method), operation(rt, p))
	}
	return encode(asJSON, value.NewMap(
		"openapi", "3.1.0",
		"info", value.NewMap("title", "mom REST API ("+string(o.Dialect)+")", "version", o.Version, "license", value.NewMap("name", "Apache-2.0")),
		"servers", []any{value.NewMap("url", o.Root+"/")},
		"paths", paths,
		"components", value.NewMap("securitySchemes", securitySchemes(), "schemas", schemas(), "responses", failures()),
	))
}

// docPath turns a pattern of net/http into a path of OpenAPI.
func docPath(pattern string) string {
	if pattern == "/{$}" {
		return "/"
	}
	return strings.ReplaceAll(pattern, "...}", "}")
}

func operation(rt *route, path string) *value.Map {
	op := value.NewMap("summary", rt.summary, "operationId", operationID(rt.method, path))
	params := []any{}
	for _, seg := range strings.Split(path, "/") {
		if name, ok := strings.CutPrefix(seg, "{"); ok {
			params = append(params, value.NewMap("name", strings.TrimSuffix(name, "}"), "in", "path", "required", true, "schema", value.NewMap("type", "string")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rt.query)) {
		schema := value.NewMap("type", "string")
		if name == "tag" || name == "arg" {
			schema = value.NewMap("type", "array", "items", schema)
		}
		params = append(params, value.NewMap("name", name, "in", "query", "description", rt.query[name], "schema", schema))
	}
	if rt.body == "lowdata" {
		params = append(params, value.NewMap("name", "Idempotency-Key", "in", "header",
			"description", "a repeated request with the same key and body starts nothing and gets the same answer", "schema", value.NewMap("type", "string", "maxLength", maxKey)))
	}
	if len(params) > 0 {
		op.Set("parameters", params)
	}
	if rt.body != "" {
		content := value.NewMap()
		for _, kind := range []string{"application/json", "application/x-yaml", "application/x-www-form-urlencoded"} {
			content.Set(kind, value.NewMap("schema", value.NewMap("$ref", "#/components/schemas/"+rt.body)))
		}
		op.Set("requestBody", value.NewMap("required", true, "content", content))
	}
	op.Set("responses", answers(rt))
	if rt.access == withToken {
		op.Set("security", []any{value.NewMap("header", []any{}), value.NewMap("bearer", []any{}), value.NewMap("cookie", []any{})})
	}
	return op
}

func operationID(method, path string) string {
	words := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '{' || r == '}' || r == '.' })
	return strings.ToLower(method) + "_" + strings.Join(words, "_")
}

func answers(rt *route) *value.Map {
	a := rt.answer
	switch a.status {
	case "101":
		return value.NewMap(a.status, value.NewMap("description", a.text), "401", ref("Unauthorized"), "426", ref("Refused"))
	case "":
		a = answerDoc{status: "200", kind: "application/json", text: "done"}
	}
	out := value.NewMap(a.status, value.NewMap("description", a.text, "content", value.NewMap(a.kind, value.NewMap("schema", value.NewMap()))))
	if rt.body != "" || len(rt.query) > 0 {
		out.Set("400", ref("Refused"))
	}
	if rt.access == withToken || rt.body != "" {
		out.Set("401", ref("Unauthorized"))
	}
	out.Set("default", ref("Refused"))
	return out
}

func ref(name string) *value.Map {
	return value.NewMap("$ref", "#/components/responses/"+name)
}

func securitySchemes() *value.Map {
	return value.NewMap(
		"header", value.NewMap("type", "apiKey", "in", "header", "name", "X-Auth-Token"),
		"bearer", value.NewMap("type", "http", "scheme", "bearer"),
		"cookie", value.NewMap("type", "apiKey", "in", "cookie", "name", cookieName),
	)
}

func failures() *value.Map {
	body := value.NewMap("application/json", value.NewMap("schema", value.NewMap("$ref", "#/components/schemas/problem")))
	return value.NewMap(
		"Refused", value.NewMap("description", "the request failed; the text says why", "content", body),
		"Unauthorized", value.NewMap("description", "no token, an invalid token, or no permission", "content", body),
	)
}

func schemas() *value.Map {
	object := func(required []any, props ...any) *value.Map {
		fields := value.NewMap()
		for i := 0; i < len(props); i += 2 {
			fields.Set(props[i], value.NewMap("type", props[i+1]))
		}
		m := value.NewMap("type", "object", "properties", fields)
		if required != nil {
			m.Set("required", required)
		}
		return m
	}
	several := func(m *value.Map) *value.Map {
		return value.NewMap("oneOf", []any{m, value.NewMap("type", "array", "items", m)})
	}
	login := object([]any{"username", "password", "eauth"}, "username", "string", "password", "string", "eauth", "string", "token_expire", "number")
	low := object([]any{"fun"}, "client", "string", "fun", []any{"string", "array"}, "tgt", []any{"string", "array"}, "tgt_type", "string",
		"arg", []any{"array", "string", "number", "boolean", "object", "null"}, "kwarg", "object", "timeout", "number", "full_return", "boolean", "batch", []any{"string", "integer"},
		"subset", "integer", "token", "string", "username", "string", "password", "string", "eauth", "string")
	return value.NewMap(
		"problem", object([]any{"status", "return"}, "status", "integer", "return", "string"),
		"login", login, "logins", several(login), "lowdata", several(low),
		"keys", object([]any{"mid"}, "mid", "string", "keysize", "integer", "force", "boolean"),
		"any", value.NewMap(),
	)
}
