package doctor

import (
	"strings"
	"sync"

	"github.com/momtree/mom/salt/render"
)

// engine parses templates with Salt's filters and tests.
var engine = sync.OnceValues(func() (*render.Engine, error) { return render.New(render.Options{}) })

// parses returns an error if a file cannot be parsed as Jinja.
func parses(data []byte, isSLS bool) error {
	e, err := engine()
	if err != nil {
		return err
	}
	return e.Check(data, isSLS)
}

// hasJinja reports whether a renderer pipe contains Jinja.
func hasJinja(pipe string) bool { return strings.Contains(pipe, "jinja") }
