// Package secrets masks probable secrets in the arguments of jobs before they are stored or
// shown: values under keys such as password or api_token, at any depth, strings name=value, and
// positional arguments that are known passwords. Other strings, such as command lines, are not
// searched.
package secrets
