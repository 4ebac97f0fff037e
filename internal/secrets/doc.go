// Package secrets masks values that sound like secrets in the arguments of jobs, before they
// are stored or shown: values under keys such as password or api_token, at any depth, texts
// name=value, and positions that are known to take a password. What a text says otherwise,
// such as a command line, is not looked into.
package secrets
