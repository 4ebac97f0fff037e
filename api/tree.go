package api

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// treeHandler serves /tree.
type treeHandler struct{ trees *treeCache }

// show shows the tree from the master, or from one node, down.
func (h *treeHandler) show(c *call) error {
	q := c.r.URL.Query()
	path := c.r.PathValue("path")
	if q.Has("find") {
		return h.find(c, q, path)
	}
	o, err := treeOptions(q)
	if err != nil {
		return err
	}
	raw, err := flag(q, "raw")
	if err != nil {
		return err
	}
	t, err := h.trees.get(c.ctx, c.token)
	if err != nil {
		return err
	}
	at := t.top.ID
	top := t.top
	if path != "" {
		if top, at, err = nodeAt(t.top, path); err != nil {
			return err
		}
	}
	if raw {
		c.answer(http.StatusOK, value.NewMap("return", []any{top.Map()}))
		return nil
	}
	var b bytes.Buffer
	if err := topology.Export(&b, top, topology.JSON, o); err != nil {
		return err
	}
	var doc client.Raw
	if err := doc.UnmarshalJSON(b.Bytes()); err != nil {
		return err
	}
	v, err := doc.Map()
	if err != nil {
		return err
	}
	v.Set("problems", problemList(t.problems(), at))
	c.answer(http.StatusOK, v)
	return nil
}

func treeOptions(q url.Values) (o topology.DrawOptions, err error) {
	if text := q.Get("depth"); text != "" {
		if o.Depth, err = strconv.Atoi(text); err != nil || o.Depth < 0 {
			return o, Refuse(http.StatusBadRequest, "depth must be a whole number, 0 or more")
		}
	}
	switch q.Get("minions") {
	case "", "yes":
	case "no", "count":
		o.NoMinions = true
	default:
		return o, Refuse(http.StatusBadRequest, "minions is yes (the default), no or count")
	}
	return o, nil
}

// nodeAt returns the node at a path from the master, or with an id, and its path that begins with
// the id of the master.
func nodeAt(top topology.Node, path string) (topology.Node, string, error) {
	if n, ok := top.At(path); ok {
		return n, top.ID + "/" + path, nil
	}
	if path == top.ID {
		return top, top.ID, nil
	}
	for _, p := range top.Find(path) {
		if p.Node {
			at := joined(p.Path, p.ID)
			n, _ := top.At(at)
			return n, top.ID + "/" + at, nil
		}
	}
	return top, "", Refuse(http.StatusNotFound, "no such node; name it by its path from the master, or by its id")
}

func joined(path, id string) string {
	if path == "" {
		return id
	}
	return path + "/" + id
}

// problemList shows the problems of a node and of everything below it.
func problemList(all []topology.Problem, at string) []any {
	out := []any{}
	for _, p := range all {
		if p.Path != at && !strings.HasPrefix(p.Path, at+"/") {
			continue
		}
		m := value.NewMap("path", p.Path, "kind", string(p.Kind), "detail", p.Detail)
		if !p.Since.IsZero() {
			m.Set("since", p.Since.UTC().Format(time.RFC3339))
		}
		out = append(out, m)
	}
	return out
}

// maxPlaces bounds the places in an answer.
const maxPlaces = 50

// find shows where a minion or node is in the tree, or all whose ids begin with a text.
func (h *treeHandler) find(c *call, q url.Values, path string) error {
	id := q.Get("find")
	prefix, given := q.Get("prefix"), q.Has("prefix")
	switch {
	case id == "":
		return Refuse(http.StatusBadRequest, "find must be an id, or the beginning of one with prefix=yes")
	case path != "":
		return Refuse(http.StatusBadRequest, "find searches the whole tree: use /tree?find=")
	case given && prefix != "yes" && prefix != "no":
		return Refuse(http.StatusBadRequest, "prefix is yes or no")
	}
	t, err := h.trees.get(c.ctx, c.token)
	if err != nil {
		return err
	}
	var found []topology.Place
	if prefix == "yes" {
		if strings.HasPrefix(t.top.ID, id) {
			found = append(found, self(t.top))
		}
		found = append(found, t.top.Search(id, maxPlaces+1)...)
	} else {
		if t.top.ID == id {
			found = append(found, self(t.top))
		}
		found = append(found, t.top.Find(id)...)
	}
	list := []any{}
	for _, p := range found[:min(len(found), maxPlaces)] {
		list = append(list, value.NewMap("path", p.Path, "id", p.ID, "node", p.Node, "state", string(p.State), "version", p.Version))
	}
	c.answer(http.StatusOK, value.NewMap("return", []any{value.NewMap("places", list, "more", len(found) > maxPlaces)}))
	return nil
}

// self is the place of the master.
func self(top topology.Node) topology.Place {
	return topology.Place{ID: top.ID, Node: true, State: top.State, Version: top.Version}
}
