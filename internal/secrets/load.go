package secrets

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// Load returns the load of a job, or a return, with secrets masked in arg, fun_args, kwargs and
// ret_kwargs. A load without secrets is returned unchanged.
func (k Masker) Load(load wire.Raw) (wire.Raw, error) {
	if k.Off {
		return load, nil
	}
	fields := map[string]wire.Raw{}
	err := wire.Fields(load, func(name string, v wire.Raw) error {
		switch name {
		case "fun", "arg", "fun_args", "kwargs", "ret_kwargs":
			fields[name] = v
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("mask secrets: %w", err)
	}
	out := load
	for name, raw := range fields {
		if name == "fun" || wire.IsNil(raw) || wire.Count(raw) == 0 {
			continue
		}
		masked, is, err := k.field(name, fields["fun"], raw)
		if err == nil && is {
			out, err = replaced(out, name, masked)
		}
		if err != nil {
			return nil, fmt.Errorf("mask secrets in %s: %w", name, err)
		}
	}
	return out, nil
}

// Arg returns the arguments of a job with one or several functions, with secrets masked.
func (k Masker) Arg(fun, arg wire.Raw) (wire.Raw, error) {
	if k.Off || len(arg) == 0 || wire.IsNil(arg) {
		return arg, nil
	}
	v, is, err := k.field("arg", fun, arg)
	if err != nil || !is {
		return arg, err
	}
	return wire.Encode(v)
}

func (k Masker) field(name string, fun, raw wire.Raw) (out any, masked bool, err error) {
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, false, err
	}
	args, isList := v.([]any)
	if name == "kwargs" || name == "ret_kwargs" || !isList {
		out, masked = k.Value(v)
		return out, masked, nil
	}
	var funs any
	if len(fun) > 0 {
		if funs, err = wire.Decode(fun); err != nil {
			return nil, false, err
		}
	}
	several, ok := funs.([]any)
	if !ok {
		one, _ := funs.(string)
		out, masked = k.Args(one, args)
		return out, masked, nil
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
		if own, ok := a.([]any); ok && i < len(several) {
			one, _ := several[i].(string)
			var is bool
			list[i], is = k.Args(one, own)
			masked = masked || is
		}
	}
	return list, masked, nil
}

// replaced returns a load with another value in a field.
func replaced(load wire.Raw, name string, v any) (wire.Raw, error) {
	m := wire.NewMap()
	err := wire.Fields(load, func(key string, val wire.Raw) error {
		if key == name {
			m.Set(key, v)
		} else {
			m.Set(key, val)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return wire.Encode(m)
}
