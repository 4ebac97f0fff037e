package ownership

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// passesOn lists the functions that fire an event under a tag that they receive or read, with who
// chooses it. Their callers are checked themselves.
var passesOn = map[string]string{
	"api/backend/local.go Fire":             "callers",
	"api/stream/hub.go Publish":             "an event of the bus",
	"client/batchreport.go post":            "the events of package batchstate",
	"client/bus.go Fire":                    "callers",
	"client/events.go read":                 "an event of the bus",
	"client/remote/events.go Next":          "an event of the API",
	"client/runner.go CallRunner":           "an event of the bus",
	"internal/bus/bus.go Fire":              "callers",
	"internal/bus/event.go ParseEvent":      "an event of the bus",
	"internal/bus/fire.go Fire":             "callers",
	"master/effects.go completed":           "jobevent.Complete",
	"master/effects.go fire":                "callers",
	"master/effects.go fireRaw":             "callers",
	"master/effects.go sendReport":          "the events of package jobevent",
	"master/jobstore/eventkeeper.go row":    "an event of the bus",
	"master/intake/events.go fireOne":       "a minion, judged by MayFire",
	"master/intake/relay.go relay":          "a minion, judged by MayFire",
	"master/local.go Reports":               "the events of package jobevent",
	"master/open.go openAccess":             "callers",
	"master/openjobs.go openPublisher":      "callers",
	"master/orchestrate/run.go fire":        "salt/states",
	"master/peers/changes.go fireNode":      "constants of package treewatch",
	"master/publish/start.go Started":       "jobevent.New",
	"master/reactor/table.go fire":          "callers",
	"master/runnerenv/events.go Fire":       "a user, judged by MayFire",
	"master/runners/eventsend.go eventSend": "a user, judged by MayFire",
	"master/treewatch/watch.go fireNode":    "constants of package treewatch",
	"syndic/events/answers.go eventOf":      "the events of package jobevent",
	"syndic/standalone/jobs.go reports":     "the events of package jobevent",
	"syndic/standalone/local.go Fire":       "the events of package jobevent",
	"syndic/standalone/local.go take":       "an event of the bus",
	"syndic/standalone/store.go commit":     "the events of package jobevent",
}

// withID are tags that minions may fire with their own id.
var withID = []string{"minion/refresh/x", "salt/job/x/prog/x/", "salt/state_result/x/x/", "salt/minion/x", "salt/beacon/x", "salt/proxy/x"}

// A minion may not fire any tag that masters, nodes, the API or commands fire, unless the tag
// names the minion. The tags are read from the source.
func TestMayFire_WhatTheProductFires(t *testing.T) {
	s := scan(t, filepath.Join("..", ".."))
	for _, x := range s.unresolved {
		if passesOn[x] == "" {
			t.Errorf("%s fires an event under a tag that this test cannot read: make it a constant, or add to passesOn who chooses it", x)
		}
	}
	for x := range passesOn {
		if !slices.Contains(s.unresolved, x) {
			t.Errorf("%s in passesOn fires no such event any more", x)
		}
	}
	job := "20261126000000000000"
	tags := append(s.tags, "syndic_start")
	for _, w := range []interface{ Encode() (string, wire.Raw) }{
		jobevent.Expectation{JID: job}, jobevent.New{JID: job}, jobevent.Missing{JID: job}, jobevent.Complete{JID: job}, jobevent.Closed{JID: job},
	} {
		tag, _ := w.Encode()
		tags = append(tags, tag)
	}
	for _, action := range []string{batchstate.ActionNew, batchstate.ActionProgress, batchstate.ActionComplete, batchstate.ActionHalted} {
		tag, _ := (&batchstate.State{JID: job}).CommandEvent(action)
		tags = append(tags, tag)
	}
	if len(tags) < 45 {
		t.Errorf("only %d tags found: %q", len(tags), tags)
	}
	own := 0
	for _, tag := range tags {
		tag = strings.ReplaceAll(tag, hole, "x")
		if slices.ContainsFunc(withID, func(p string) bool { return strings.HasPrefix(tag+"/", p) }) {
			own++
			if mine := strings.ReplaceAll(tag, "x", "m1"); !MayFire("m1", mine) {
				t.Errorf("m1 may not fire %q", mine)
			}
		}
		if strings.Contains(tag, "/") && MayFire("m1", tag+"/more") {
			t.Errorf("a minion may fire %q", tag+"/more")
		}
		for _, form := range []string{tag, strings.ToUpper(tag), "/" + tag, strings.ReplaceAll(tag, "/", "//"), tag + "\n", tag + "\x00"} {
			if MayFire("m1", form) {
				t.Errorf("a minion may fire %q", form)
			}
		}
	}
	t.Logf("%d tags of the product, %d of them with a minion id", len(tags), own)
}

// source is the parsed program.
type source struct {
	fset   *token.FileSet
	consts map[string]ast.Expr // by package name and identifier
	funcs  map[string][]ast.Expr
	files  map[string]*ast.File

	tags, unresolved []string
}

// scan returns the tags of all events that masters, nodes, the API and commands fire.
func scan(t *testing.T, root string) *source {
	t.Helper()
	s := &source{fset: token.NewFileSet(), consts: map[string]ast.Expr{}, funcs: map[string][]ast.Expr{}, files: map[string]*ast.File{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if d != nil && d.IsDir() && (strings.HasSuffix(rel, "test") || slices.Contains([]string{"minion", ".git", "lab", "internal/zmtp/peer", "client/example"}, rel)) {
			return fs.SkipDir // minions fire what is checked here; the rest, helpers of tests among it, is not in the product
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(s.fset, rel, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.files[rel] = f
		s.declared(f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rel, f := range s.files {
		s.fired(rel, f)
	}
	slices.Sort(s.tags)
	slices.Sort(s.unresolved)
	s.tags, s.unresolved = slices.Compact(s.tags), slices.Compact(s.unresolved)
	return s
}

// declared records the constants of a file, and the functions that return one text.
func (s *source) declared(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST {
					for i, x := range v.Values {
						s.consts[f.Name.Name+"."+v.Names[i].Name] = x
					}
				}
			}
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
					key := f.Name.Name + "." + d.Name.Name
					s.funcs[key] = append(s.funcs[key], r.Results[0])
				}
				return true
			})
		}
	}
}

// namespaced matches tags and their prefixes.
var namespaced = regexp.MustCompile("^(salt|mom|topology|syndic)/[a-z_]+/?[a-z_/-]*$")

// firing lists the functions that fire events.
var firing = []string{"Fire", "fire", "fireRaw", "fireLocal"}

// fired records the tags of the events that a file fires.
func (s *source) fired(rel string, f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if g, is := d.(*ast.GenDecl); is && g.Tok != token.IMPORT && !strings.HasPrefix(rel, "master/ownership/") {
			fn, ok = &ast.FuncDecl{Name: ast.NewIdent("declaration"), Body: &ast.BlockStmt{List: []ast.Stmt{&ast.DeclStmt{Decl: g}}}}, true
		}
		if !ok || fn.Body == nil {
			continue
		}
		in := scope{s: s, pkg: f.Name.Name, fn: fn}
		note := func(x ast.Expr) {
			tags := in.values(x, 0)
			for _, tag := range tags {
				if strings.HasPrefix(tag, hole) {
					tags = nil
				}
			}
			if tags == nil {
				s.unresolved = append(s.unresolved, rel+" "+fn.Name.Name)
			}
			s.tags = append(s.tags, tags...)
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				args := n.Args
				if len(args) > 0 && strings.HasSuffix(strings.ToLower(named(args[0])), "ctx") {
					args = args[1:]
				}
				if slices.Contains(firing, named(n.Fun)) && len(args) > 1 {
					note(args[0])
				}
			case *ast.BasicLit: // also constants of tags
				if v, err := strconv.Unquote(n.Value); err == nil && namespaced.MatchString(v) {
					s.tags = append(s.tags, v)
				}
			case *ast.CompositeLit:
				if named(n.Type) != "Event" {
					break
				}
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok && named(kv.Key) == "Tag" {
						note(kv.Value)
					}
				}
			}
			return true
		})
	}
}

// named returns the last identifier of an expression.
func named(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// hole stands for a part of a tag known only at run time.
const hole = "\x00"

// scope is the context of an expression.
type scope struct {
	s   *source
	pkg string
	fn  *ast.FuncDecl
}

// values returns the texts that an expression can have, with holes.
func (in scope) values(x ast.Expr, depth int) []string {
	if depth > 6 {
		return []string{hole}
	}
	switch x := x.(type) {
	case *ast.BasicLit:
		if v, err := strconv.Unquote(x.Value); err == nil {
			return []string{v}
		}
	case *ast.BinaryExpr:
		var out []string
		for _, l := range in.values(x.X, depth+1) {
			for _, r := range in.values(x.Y, depth+1) {
				out = append(out, l+r)
			}
		}
		return out
	case *ast.Ident:
		if c, ok := in.s.consts[in.pkg+"."+x.Name]; ok {
			return in.values(c, depth+1)
		}
		return in.local(x.Name, depth)
	case *ast.SelectorExpr:
		if c, ok := in.s.consts[named(x.X)+"."+x.Sel.Name]; ok {
			return scope{in.s, named(x.X), nil}.values(c, depth+1)
		}
	case *ast.CallExpr:
		pkg, name := in.pkg, named(x.Fun)
		if sel, ok := x.Fun.(*ast.SelectorExpr); ok {
			if _, ok := in.s.funcs[named(sel.X)+"."+name]; ok {
				pkg = named(sel.X)
			}
		}
		var out []string
		for _, r := range in.s.funcs[pkg+"."+name] {
			out = append(out, scope{in.s, pkg, nil}.values(r, depth+1)...)
		}
		if out != nil {
			return out
		}
	}
	return []string{hole}
}

// local returns the texts assigned to a variable of the function.
func (in scope) local(name string, depth int) []string {
	var out []string
	if in.fn != nil {
		ast.Inspect(in.fn.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok != token.ADD_ASSIGN {
				for i, l := range a.Lhs {
					if named(l) == name && len(a.Lhs) == len(a.Rhs) {
						out = append(out, in.values(a.Rhs[i], depth+1)...)
					}
				}
			}
			return true
		})
	}
	if out == nil {
		return []string{hole}
	}
	return out
}
