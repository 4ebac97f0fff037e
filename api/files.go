package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/momtree/mom/api/page"
)

// files are what a server has to show to a browser.
type files struct {
	assets *page.Assets // the page of ours; nil where own is in its place, or none is wanted
	own    *page.File
	static *page.Folder // nil: none
	// loads bounds how many files of the folder are sent at once: they may be large, and
	// those who ask for them are strangers.
	loads chan struct{}
}

// maxLoads is how many files of a folder are sent at once; more are answered 503.
const maxLoads = 256

func openFiles(o Options) (_ *files, err error) {
	f := &files{loads: make(chan struct{}, maxLoads)}
	switch {
	case o.NoApp:
	case o.App != "":
		own, err := page.OpenFile(o.App)
		if err != nil {
			return nil, err
		}
		f.own = &own
	default:
		if f.assets, err = page.New(strings.TrimPrefix(o.AppPath, "/")); err != nil {
			return nil, err
		}
	}
	if o.Static != "" {
		if f.static, err = page.OpenFolder(o.Static); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *files) close() error {
	if f.static == nil {
		return nil
	}
	return f.static.Close()
}

// loginsFile is below the page: the login services that it offers.
const loginsFile = "logins.json"

var errNoFile = refuse(http.StatusNotFound, "The path was not found.")

// app serves the page, or the file that the option app names: that under every path below,
// as in Salt, for pages that keep their state in the path.
func (s *Server) app(c *call) error {
	if s.files.own != nil {
		if !s.files.own.Serve(c.w, c.r) {
			s.log.Warn("app file unreadable", "option", "app", "path", s.o.App)
			return errNoFile
		}
		return nil
	}
	if strings.HasSuffix(c.r.URL.Path, "/") { // where its files would be sought one folder too deep
		c.w.Header().Set("Location", s.o.Root+s.o.AppPath)
		s.write(c.w, c.r, http.StatusFound, nil)
		return nil
	}
	if c.r.PathValue("path") == loginsFile {
		return s.loginNames(c)
	}
	if !s.files.assets.Serve(c.w, c.r, c.r.PathValue("path")) {
		return errNoFile
	}
	return nil
}

// loginNames serves the names of the login services, to the page alone: no other origin reads them.
func (s *Server) loginNames(c *call) error {
	body, err := json.Marshal(map[string][]string{"logins": append([]string{}, s.o.Logins...)})
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // who asked may be gone
	}
	return nil
}

// static serves a file of the folder of the option static.
func (s *Server) static(c *call) error {
	select {
	case s.files.loads <- struct{}{}:
		defer func() { <-s.files.loads }()
	default:
		return refuse(http.StatusServiceUnavailable, "Too many files are being sent; try again later")
	}
	c.release() // whoever reads slowly keeps no call from being served
	if strings.HasSuffix(c.r.URL.Path, "/") || !s.files.static.Serve(c.w, c.r, c.r.PathValue("path")) {
		return errNoFile
	}
	return nil
}
