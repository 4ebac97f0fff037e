// Package settings reads the options of a returner from a configuration: flat
// ("mysql.host"), as a map ("mysql": {"host": …}), or with the prefix that a job names
// ("alternative.mysql.host").
package settings
