package gitrepotest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
)

// Web serves repositories by http, each under /NAME.
type Web struct {
	*httptest.Server
	// Around may answer in the place of the server, or do something before; true: it has
	// answered.
	Around func(w http.ResponseWriter, q *http.Request) bool
	repos  map[string]*Repo
}

// Serve starts a server. secure: by https, with a certificate that nobody trusts.
func Serve(secure bool, repos map[string]*Repo) *Web {
	s := &Web{repos: repos}
	h := http.HandlerFunc(s.serve)
	if secure {
		s.Server = httptest.NewTLSServer(h)
	} else {
		s.Server = httptest.NewServer(h)
	}
	return s
}

// Session is one of git-upload-pack with a repository.
func Session(r *Repo) (transport.UploadPackSession, error) {
	ep := &transport.Endpoint{Protocol: "file", Path: "/"}
	return server.NewServer(server.MapLoader{ep.String(): r.Store}).NewUploadPackSession(ep, nil)
}

func (s *Web) serve(w http.ResponseWriter, q *http.Request) {
	if s.Around != nil && s.Around(w, q) {
		return
	}
	name, what, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	r := s.repos[name]
	if r == nil {
		http.NotFound(w, q)
		return
	}
	err := s.answer(w, q, r, what)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *Web) answer(w http.ResponseWriter, q *http.Request, r *Repo, what string) error {
	session, err := Session(r)
	if err != nil {
		return err
	}
	if what == "info/refs" {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		refs, err := session.AdvertisedReferences()
		if err != nil {
			return err
		}
		refs.Prefix = [][]byte{[]byte("# service=git-upload-pack"), pktline.Flush}
		return refs.Encode(w)
	}
	var body io.Reader = q.Body
	if q.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(q.Body); err != nil {
			return err
		}
	}
	req := packp.NewUploadPackRequest()
	if err := req.UploadRequest.Decode(body); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if err := haves(body, req); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	a, err := session.UploadPack(q.Context(), req)
	if err != nil {
		return err
	}
	return a.Encode(w)
}

// haves reads what the other end has, up to "done".
func haves(r io.Reader, req *packp.UploadPackRequest) error {
	s := pktline.NewScanner(r)
	for s.Scan() {
		line := strings.TrimSpace(string(s.Bytes()))
		if line == "done" {
			return nil
		}
		if hex, ok := strings.CutPrefix(line, "have "); ok {
			req.Haves = append(req.Haves, hashOf(hex))
		}
	}
	return s.Err()
}

func hashOf(hex string) plumbing.Hash { return plumbing.NewHash(hex) }
