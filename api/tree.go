package api

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
)

// tree shows the tree from the master, or from one node, down.
func (s *Server) tree(c *call) error {
	q := c.r.URL.Query()
	depth := 0
	if text := q.Get("depth"); text != "" {
		var err error
		if depth, err = strconv.Atoi(text); err != nil || depth < 0 {
			return refuse(http.StatusBadRequest, "depth has to be a whole number from 0 on")
		}
	}
	ctx, cancel := context.WithTimeout(c.ctx, s.o.RunnerTime)
	defer cancel()
	top, err := s.session(c.token).Tree(ctx)
	if err != nil {
		return err
	}
	if path := c.r.PathValue("path"); path != "" {
		n, ok := top.At(path)
		if !ok {
			if n, ok = find(top, path); !ok {
				return refuse(http.StatusNotFound, "there is no such node; name it by its path from the master, or by its id")
			}
		}
		top = n
	}
	if q.Get("minions") == "no" {
		top = bare(top)
	}
	var b bytes.Buffer
	if err := topology.Export(&b, top, topology.JSON, topology.DrawOptions{Depth: depth}); err != nil {
		return err
	}
	var raw client.Raw
	if err := raw.UnmarshalJSON(b.Bytes()); err != nil {
		return err
	}
	v, err := raw.Map()
	if err != nil {
		return err
	}
	s.answer(c.w, c.r, http.StatusOK, v)
	return nil
}

// find looks a node up by its id alone.
func find(top topology.Node, id string) (topology.Node, bool) {
	if top.ID == id {
		return top, true
	}
	for _, p := range top.Find(id) {
		if !p.Node {
			continue
		}
		path := id
		if p.Path != "" {
			path = p.Path + "/" + id
		}
		return top.At(path)
	}
	return topology.Node{}, false
}

// bare is a tree without minions.
func bare(n topology.Node) topology.Node {
	n.Minions = nil
	nodes := make([]topology.Node, 0, len(n.Nodes))
	for _, c := range n.Nodes {
		nodes = append(nodes, bare(c))
	}
	n.Nodes = nodes
	return n
}
