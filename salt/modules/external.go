package modules

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/value"
)

// externalFunction returns a function of an external module. ok is false if no such module
// exists. It returns an error if the program is not a valid module.
func externalFunction(ctx context.Context, env Env, full string) (Function, bool, error) {
	name, fun, ok := strings.Cut(full, ".")
	if env == nil || env.External() == nil || !ok {
		return Function{}, false, nil
	}
	about, err := env.External().Describe(ctx, name)
	switch {
	case errors.Is(err, external.ErrNone):
		return Function{}, false, nil
	case err != nil:
		return Function{}, false, CommandErrorf("%v", err)
	}
	i := slices.IndexFunc(about.Functions, func(f external.Function) bool { return f.Name == fun })
	if i < 0 {
		return Function{}, false, nil
	}
	return bound(name, about.Functions[i]), true, nil
}

// bound converts a described function to a Function.
func bound(module string, f external.Function) Function {
	fn := Function{Name: f.Name, Doc: f.Doc, VarArgs: f.VarArgs, VarKw: f.Kwargs}
	for _, a := range f.Args {
		fn.Args = append(fn.Args, Arg{Name: a.Name, Default: a.Default, Required: a.Required})
	}
	fn.Run = func(ctx context.Context, c *Call) (any, error) {
		args := value.NewMap()
		for i, a := range f.Args {
			args.Set(a.Name, c.Args[i])
		}
		v, retcode, err := c.Env.External().Run(ctx, external.Call{
			Module: module, Function: f.Name, Args: args, Rest: c.Rest(), Kwargs: c.Kwargs, JID: c.JID,
			ID: PyStr(c.Env.Option("id")), Grains: c.Env.Grains(), Pillar: c.Env.Pillar(),
		})
		c.Retcode = retcode
		var failure *external.Failure
		switch {
		case errors.As(err, &failure):
			return nil, &CommandError{failure.Text}
		case err != nil:
			return nil, CommandErrorf("%v", err)
		}
		return v, nil
	}
	return fn
}

// externalNames returns the functions of all external modules that describe themselves.
func externalNames(ctx context.Context, env Env) []string {
	if env == nil || env.External() == nil {
		return nil
	}
	var out []string
	for _, module := range env.External().Names() {
		about, err := env.External().Describe(ctx, module)
		if err != nil {
			continue // Describe logged the error
		}
		for _, f := range about.Functions {
			out = append(out, module+"."+f.Name)
		}
	}
	return out
}

// find returns the function of a full name, built in or of an external module.
func find(ctx context.Context, env Env, full string) (Function, bool, error) {
	if fn, ok := Lookup(full); ok {
		return fn, true, nil
	}
	return externalFunction(ctx, env, full)
}
