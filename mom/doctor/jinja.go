package doctor

import (
	"strings"
	"sync"

	"github.com/momtree/mom/salt/render"
)

// engine reads templates with Salt's filters and tests.
var engine = sync.OnceValues(func() (*render.Engine, error) { return render.New(render.Options{}) })

// parses tells whether a file can be read as Jinja.
func parses(data []byte, isSLS bool) error {
	e, err := engine()
	if err != nil {
		return err
	}
	return e.Check(data, isSLS)
}

// hasJinja tells whether a pipe has Jinja in it.
func hasJinja(pipe string) bool { return strings.Contains(pipe, "jinja") }
