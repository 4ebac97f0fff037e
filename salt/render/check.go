package render

import "context"

// Check parses a file as Jinja and returns the first error, also for unknown filters and
// tests. It renders nothing. isSLS selects the settings for SLS files.
func (e *Engine) Check(source []byte, isSLS bool) error {
	if len(source) > e.limits.Source {
		return e.tooLarge(Template{Source: source})
	}
	env := e.file
	if isSLS {
		env = e.sls
	}
	if _, err := e.parse(context.Background(), env, "", string(source)); err != nil {
		return (&job{engine: e}).fault(err, string(source))
	}
	return nil
}
