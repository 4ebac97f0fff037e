package hostile

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/salt/pyfmt"
)

// show is a value as a person writes it in an assignment.
func show(v any) string { return pyfmt.Str(v) }

// attempt makes a call through one of the entrances, and waits until all that it leads to is
// over.
func (w *world) attempt(c call) *act {
	a := &act{call: c, judged: map[string][]string{}}
	w.mu.Lock()
	w.now = a
	w.mu.Unlock()
	recording = func(e execution) { w.note(func(a *act) { a.master = append(a.master, e) }) }
	var err error
	switch c.entrance {
	case "wire":
		a.answer, a.call.sent, err = w.doors.overWire(c)
	case "cherrypy", "tornado":
		a.answer, a.call.sent, err = w.doors.overREST(c)
	case "own":
		a.answer, a.call.sent, err = w.doors.asOwn(c)
	case "peer":
		a.answer, a.call.sent, err = w.doors.overPeer(c)
	default:
		panic("no entrance " + c.entrance)
	}
	if err != nil {
		a.answer = "error: " + err.Error()
	}
	w.doors.rest()
	w.mu.Lock() // after the last who noted something
	defer w.mu.Unlock()
	w.now = nil
	return a
}

// note writes down what comes of the call that is being made.
func (w *world) note(what func(*act)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now != nil {
		what(w.now)
	}
}

// credentials adds who asks.
func (w *world) credentials(m *wire.Map, name string) {
	if chance(w.rng, 50) {
		m.Set("token", tokenOf(name))
		return
	}
	m.Set("eauth", eauth)
	m.Set("username", name)
	m.Set("password", password)
}

// overWire sends a load as Salt's command does, in any form that the wire has.
func (d *entrances) overWire(c call) (answer, sent string, err error) {
	r := d.w.rng
	var load *wire.Map
	switch c.kind {
	case minionRules:
		kwargs := wire.NewMap()
		d.w.credentials(kwargs, c.by.name)
		load = wire.NewMap("cmd", "publish", "tgt", c.target.tgt, "tgt_type", c.target.kind, "fun", c.fun, "arg", orNone(c.args), "ret", "", "jid", "", "key", "", "user", pick(r, c.by.name, "root", own, ""))
		if c.target.delimiter != "" {
			kwargs.Set("delimiter", c.target.delimiter)
		}
		c.extra.Range(func(k, v any) bool {
			if k == "ret" {
				load.Set(k, v)
			} else {
				kwargs.Set(k, v)
			}
			return true
		})
		load.Set("kwargs", kwargs)
	default:
		load = wire.NewMap("cmd", map[kind]string{runnerRules: "runner", wheelRules: "wheel"}[c.kind], "fun", c.fun)
		d.w.credentials(load, c.by.name)
		d.masterArguments(load, c)
	}
	sent = show(load)
	reply, err := d.clear(load)
	return show(reply), sent, err
}

// asOwn starts a job as reactions and the schedule of a master do: inside, as its own user.
func (d *entrances) asOwn(c call) (answer, sent string, err error) {
	load := wire.NewMap("cmd", "publish", "tgt", c.target.tgt, "tgt_type", c.target.kind, "fun", c.fun, "arg", orNone(c.args), "ret", "", "jid", "", "user", own)
	raw, err := wire.Encode(load)
	if err != nil {
		return "", "", err
	}
	_, err = d.w.top.service.PublishLoad(d.w.ctx, raw, access.By{Owner: own})
	return "", show(load), err
}

// masterArguments writes the arguments of a runner or wheel function in one of the forms that
// masters take.
func (d *entrances) masterArguments(load *wire.Map, c call) {
	r := d.w.rng
	form := r.IntN(5)
	if c.honest && c.kind == wheelRules {
		form = 0
	}
	if c.honest && form > 1 {
		form = 1
	}
	args := wire.NewMap("arg", orNone(c.args), "kwarg", c.kwargs)
	switch {
	case form == 0:
		load.Set("arg", orNone(c.args))
		load.Set("kwarg", c.kwargs)
	case form == 1 && c.kind == runnerRules:
		load.Set("kwarg", args)
	case form == 2: // the arguments among the fields
		c.kwargs.Range(func(k, v any) bool {
			if !load.Has(k.(string)) {
				load.Set(k, v)
			}
			return true
		})
		load.Set("arg", orNone(c.args))
	case form == 3: // both
		load.Set("arg", orNone(c.args))
		load.Set("kwarg", args)
	default:
		m := c.kwargs.Clone()
		m.Set("arg", orNone(c.args))
		load.Set("kwarg", m)
		if chance(r, 50) {
			load.Set("arg", orNone(c.args))
		}
	}
}

// overPeer has a minion start a job, or a runner.
func (d *entrances) overPeer(c call) (answer, sent string, err error) {
	id := c.by.name
	load := wire.NewMap("cmd", pick(d.w.rng, "minion_pub", "minion_pub", "minion_publish"), "fun", c.fun, "arg", orNone(c.args), "tgt", c.target.tgt, "tgt_type", c.target.kind, "tmo", 0.001)
	load.Set("cmd", "minion_pub")
	if c.kind == runnerRules {
		args := slices.Clone(c.args)
		if c.kwargs.Len() > 0 {
			kw := c.kwargs.Clone()
			kw.Set("__kwarg__", pick(d.w.rng, marks...))
			if c.honest {
				kw.Set("__kwarg__", true)
			}
			args = append(args, kw)
		}
		load = wire.NewMap("cmd", "minion_runner", "fun", c.fun, "arg", orNone(args))
	}
	if list, ok := c.fun.([]any); ok {
		load.Set("fun", strings.Join(wire.Texts(list), ","))
	}
	c.extra.Range(func(k, v any) bool {
		load.Set(k, v)
		return true
	})
	if chance(d.w.rng, 10) && !c.honest {
		load.Set("no_parse", []any{"runas", "dst", "mods", "k"})
	}
	sent = show(load)
	v, err := d.sealed(d.w.tierOf[id], id, load)
	return show(v), sent, err
}

func orNone(args []any) []any {
	if args == nil {
		return []any{}
	}
	return args
}

// field is one of a body, in JSON; a name may stand there twice.
type field struct{ name, json string }

func jsonOf(v any) string {
	b, err := wire.Encode(v)
	if err == nil {
		b, err = wire.ToJSON(b)
	}
	if err != nil {
		return "null"
	}
	return string(b)
}

// overREST sends a chunk of low data as JSON, as YAML or as a form, with a token in the header
// or a login in the chunk.
func (d *entrances) overREST(c call) (answer, sent string, err error) {
	r := d.w.rng
	fields, inChunk := d.chunk(c), chance(r, 40)
	path, header := "/", http.Header{}
	switch {
	case inChunk:
		path = "/run"
		m := wire.NewMap()
		d.w.credentials(m, c.by.name)
		for _, k := range m.Keys() {
			v, _ := m.GetKey(k)
			fields = append(fields, field{k.(string), jsonOf(v)})
		}
	default:
		header.Set("X-Auth-Token", tokenOf(c.by.name))
	}
	if !c.honest && chance(r, 15) { // a name twice: who wins?
		again := fields[r.IntN(len(fields))]
		again.json = pick(r, `"cmd.run"`, `"*"`, `["id"]`, `"root"`, `"list"`, `null`, `"web1"`)
		fields = slices.Insert(fields, r.IntN(len(fields)+1), again)
	}
	if !c.honest {
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	}
	var body string
	switch form := r.IntN(4); {
	case form == 0 && formable(c):
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		body = formOf(c, fields)
	case form == 1:
		header.Set("Content-Type", pick(r, "application/x-yaml", "text/yaml"))
		body = "- " + objectOf(fields)
	default:
		header.Set("Content-Type", pick(r, "application/json", "application/json", "text/plain"))
		body = pick(r, objectOf(fields), "["+objectOf(fields)+"]")
	}
	req := httptest.NewRequestWithContext(d.w.ctx, http.MethodPost, path, strings.NewReader(body))
	req.Header = header
	rec := httptest.NewRecorder()
	d.apis[map[string]api.Dialect{"cherrypy": api.CherryPy, "tornado": api.Tornado}[c.entrance]].ServeHTTP(rec, req)
	return fmt.Sprintf("%d %.300s", rec.Code, strings.TrimSpace(rec.Body.String())), path + " " + header.Get("Content-Type") + " " + body, nil
}

// chunk are the fields of a call.
func (d *entrances) chunk(c call) (out []field) {
	r := d.w.rng
	client := pick(r, "local", "local_async", "local_async", "local_subset")
	switch c.kind {
	case runnerRules:
		client = pick(r, "runner", "runner_async")
	case wheelRules:
		client = pick(r, "wheel", "wheel_async")
	}
	out = append(out, field{"client", jsonOf(client)}, field{"fun", jsonOf(c.fun)})
	if c.kind == minionRules {
		out = append(out, field{"tgt", jsonOf(textual(c.target.tgt))}, field{pick(r, "tgt_type", "tgt_type", "expr_form"), jsonOf(c.target.kind)})
		if c.target.delimiter != "" {
			out = append(out, field{"delimiter", jsonOf(c.target.delimiter)})
		}
	}
	args, kwargs := c.args, c.kwargs
	if n := len(args); n > 0 && c.kind == minionRules && chance(r, 60) {
		if kw, ok := args[n-1].(*wire.Map); ok {
			args, kwargs = args[:n-1], kw
		}
	}
	if len(args) > 0 || chance(r, 50) {
		out = append(out, field{"arg", jsonOf(textual(orNone(args)))})
	}
	if kwargs.Len() > 0 {
		if c.kind != minionRules && chance(r, 30) {
			for _, k := range kwargs.Keys() {
				v, _ := kwargs.GetKey(k)
				out = append(out, field{k.(string), jsonOf(v)})
			}
		} else {
			out = append(out, field{"kwarg", jsonOf(textual(kwargs))})
		}
	}
	c.extra.Range(func(k, v any) bool {
		out = append(out, field{k.(string), jsonOf(v)})
		return true
	})
	return out
}

// textual makes texts of bytes, which JSON does not have.
func textual(v any) any {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = textual(e)
		}
		return out
	}
	return v
}

func objectOf(fields []field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = jsonOf(f.name) + ": " + f.json
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// formable reports whether a form can express a call.
func formable(c call) bool {
	_, one := c.fun.(string)
	return one && (!c.honest || c.kwargs.Len() == 0 && !slices.ContainsFunc(c.args, func(v any) bool { return !isText(v) }) && isText(c.target.tgt))
}

func formOf(c call, fields []field) string {
	var parts []string
	add := func(name, value string) { parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(value)) }
	for _, f := range fields {
		v, err := wire.FromJSON([]byte(f.json))
		if err != nil {
			continue
		}
		x, err := wire.Decode(v)
		if err != nil {
			continue
		}
		if list, ok := x.([]any); ok && f.name == "arg" {
			for _, e := range list {
				add(f.name, formText(e))
			}
			continue
		}
		add(f.name, formText(x))
	}
	return strings.Join(parts, "&")
}

func formText(v any) string {
	if isText(v) {
		return v.(string)
	}
	return jsonOf(v)
}
