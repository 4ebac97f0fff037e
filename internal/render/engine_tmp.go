package render

import (
	"bytes"
	"context"
	"errors"

	"github.com/momtree/mom/internal/yaml11"
)

type Engine struct{}

func New(Options) *Engine { return &Engine{} }
func (e *Engine) Text(ctx context.Context, t Template) (string, error) {
	if bytes.Contains(t.Source, []byte("{{")) || bytes.Contains(t.Source, []byte("{%")) {
		return "", errors.New("no jinja yet")
	}
	return string(t.Source), nil
}

func (e *Engine) SLS(ctx context.Context, t Template, pipe string) (any, error) {
	if bytes.Contains(t.Source, []byte("{{")) || bytes.Contains(t.Source, []byte("{%")) {
		return "", errors.New("no jinja yet")
	}
	return yaml11.Read(t.Source)
}
