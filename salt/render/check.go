package render

import "context"

// Check tells whether a file can be read as Jinja, with its filters and tests known; nil if
// it can. It renders nothing. isSLS says that it is an SLS.
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
