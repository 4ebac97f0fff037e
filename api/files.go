package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/momtree/mom/api/page"
)

// maxLoads bounds the files of the static directory that are sent at once. They may be large, and
// strangers may ask for them.
const maxLoads = 256

// fileHandler serves the page, the file of the option app, and the directory of the option static.
type fileHandler struct {
	assets *page.Assets // the page; nil: own replaces it, or there is none
	own    *page.File   // nil: none
	static *page.Folder // nil: none
	loads  chan struct{}
	// app is the file of own, and appPath the path of the page below root.
	app, root, appPath string
	logins             []string
	log                *slog.Logger
}

// openFiles opens what the options name. The caller closes the handler.
func openFiles(o Options) (_ *fileHandler, err error) {
	h := &fileHandler{loads: make(chan struct{}, maxLoads), app: o.App, root: o.Root, appPath: o.AppPath, logins: o.Logins, log: o.Log}
	switch {
	case o.NoApp:
	case o.App != "":
		own, err := page.OpenFile(o.App)
		if err != nil {
			return nil, err
		}
		h.own = &own
	default:
		if h.assets, err = page.New(strings.TrimPrefix(o.AppPath, "/")); err != nil {
			return nil, err
		}
	}
	if o.Static != "" {
		if h.static, err = page.OpenFolder(o.Static); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *fileHandler) close() error {
	if h.static == nil {
		return nil
	}
	return h.static.Close()
}

// loginsFile is the path below the page of the login services that it offers.
const loginsFile = "logins.json"

var errNoFile = Refuse(http.StatusNotFound, "The path was not found.")

// servePage serves the page, or the file of the option app. As in Salt, the file is served for every
// path below, for pages that keep their state in the path.
func (h *fileHandler) servePage(c *call) error {
	if h.own != nil {
		return h.serveOwn(c.w, c.r)
	}
	if strings.HasSuffix(c.r.URL.Path, "/") { // the page's files would be one directory too deep
		c.w.Header().Set("Location", h.root+h.appPath)
		c.write(http.StatusFound, nil)
		return nil
	}
	if c.r.PathValue("path") == loginsFile {
		return h.serveLogins(c)
	}
	if !h.assets.Serve(c.w, c.r, c.r.PathValue("path")) {
		return errNoFile
	}
	return nil
}

// serveOwn serves the file of the option app.
func (h *fileHandler) serveOwn(w http.ResponseWriter, r *http.Request) error {
	if !h.own.Serve(w, r) {
		h.log.Warn("app file unreadable", "option", "app", "path", h.app)
		return errNoFile
	}
	return nil
}

// serveLogins serves the names of the login services to the page. No other origin can read them.
func (h *fileHandler) serveLogins(c *call) error {
	body, err := json.Marshal(map[string][]string{"logins": append([]string{}, h.logins...)})
	if err != nil {
		return fmt.Errorf("encode the login services: %w", err)
	}
	head := c.w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // the client may have gone
	}
	return nil
}

// serveStatic serves a file of the static directory.
func (h *fileHandler) serveStatic(c *call) error {
	select {
	case h.loads <- struct{}{}:
		defer func() { <-h.loads }()
	default:
		return Refuse(http.StatusServiceUnavailable, "Too many files are being sent; try again later")
	}
	c.release() // a slow reader holds no place
	if strings.HasSuffix(c.r.URL.Path, "/") || !h.static.Serve(c.w, c.r, c.r.PathValue("path")) {
		return errNoFile
	}
	return nil
}
